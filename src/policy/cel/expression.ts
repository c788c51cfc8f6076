import { type CelType, type Compiled, compileFor, kyvernoEnvironment, type Variables } from '../../cel/index.ts';

export type Expression = Compiled;

/** Compiles for one of the types; anything else is refused in the words of the API server. */
export function compileExpression(
  source: string,
  variables: Variables,
  types?: readonly CelType[],
  environment = kyvernoEnvironment,
): Expression {
  return compileFor(source, { variables, types, environment });
}
