import {
  CelCompileError,
  type CelType,
  compile,
  kyvernoEnvironment,
  type Program,
  renderType,
  sameType,
  type Variables,
} from '../../cel/index.ts';

/** An expression that is ready, or why it is not. */
export type Expression =
  | { readonly source: string; readonly program: Program }
  | { readonly source: string; readonly error: string };

/** Compiles for one of the types; anything else is refused in the words of the API server. */
export function compileExpression(
  source: string,
  variables: Variables,
  wanted?: readonly CelType[],
  environment = kyvernoEnvironment,
): Expression {
  try {
    const program = compile(source, { variables, environment });
    if (!wanted || wanted.some((type) => sameType(type, program.type))) return { source, program };
    const found = renderType(program.type);
    const names = wanted.map(renderType);
    const must = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    return { source, error: `must evaluate to ${must} but got ${found}` };
  } catch (thrown) {
    if (!(thrown instanceof CelCompileError)) throw thrown;
    const stage = thrown.code === 'cel-program' ? 'program instantiation failed' : 'compilation failed';
    return { source, error: `${stage}: ${thrown.message}` };
  }
}
