import type { Environment, Program, Scope } from '../../jmespath/index.ts';
import { compileExpression } from './expression.ts';

/** What variables are resolved against: the data that expressions see, and what they may ask of the world. */
export interface Resolver {
  readonly scope: Scope;
  readonly environment: Environment;
  /** In a DELETE there is no object: `{{ request.object }}` reads `request.oldObject`. */
  readonly isDelete: boolean;
}

/** An expression of a field of its own (a loop's list, a path), asked again and again: its text is looked up once. */
export function compileQuery(expression: string): (resolver: Resolver) => unknown {
  let program: Program | undefined;
  return ({ scope, environment }) => {
    program ??= compileExpression(expression);
    return program.evaluate(scope, environment);
  };
}

export function query({ scope, environment }: Resolver, expression: string): unknown {
  return compileExpression(expression).evaluate(scope, environment);
}

/** An expression between braces. Only of these does Kyverno turn `request.object` into the old one in a DELETE. */
export function compileVariable(expression: string): (resolver: Resolver) => unknown {
  const plain = compileQuery(expression);
  return (resolver) => (resolver.isDelete ? queryVariable(resolver, expression) : plain(resolver));
}

export function queryVariable(resolver: Resolver, expression: string): unknown {
  return query(resolver, resolver.isDelete ? expression.replaceAll('request.object', 'request.oldObject') : expression);
}
