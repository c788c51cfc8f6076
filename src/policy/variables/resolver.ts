import type { Environment, Program, Scope } from '../../jmespath/index.ts';
import { compileExpression } from './expression.ts';

/** What variables are resolved with: the scope, and the environment of expressions (clock, random, budget). */
export interface Resolver {
  readonly scope: Scope;
  readonly environment: Environment;
  /** A DELETE has no object: `{{ request.object }}` reads `request.oldObject`. */
  readonly isDelete: boolean;
}

/** Compiles the expression of a field (the list of a loop, a path), which is evaluated many times. */
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

/** An expression between braces. As in Kyverno, only here does `request.object` mean the old object in a DELETE. */
export function compileVariable(expression: string): (resolver: Resolver) => unknown {
  const plain = compileQuery(expression);
  return (resolver) => (resolver.isDelete ? queryVariable(resolver, expression) : plain(resolver));
}

export function queryVariable(resolver: Resolver, expression: string): unknown {
  return query(resolver, resolver.isDelete ? expression.replaceAll('request.object', 'request.oldObject') : expression);
}
