import type { Node } from './ast.ts';
import type { Dialect } from './dialect.ts';
import type { Run } from './run.ts';
import { missing } from './scope.ts';

/** A compiled node: answers `missing` where Kyverno raises "unknown key". */
export type Evaluator = (value: unknown, run: Run) => unknown;

export interface CompileContext {
  /** Compiles child nodes. Passed down to avoid import cycles. */
  readonly compileNode: (node: Node, context: CompileContext) => Evaluator;
  readonly expression: string;
  /** True where the value at hand is the root, which may be a scope. */
  readonly atRoot: boolean;
  /** Whether an unknown function or a wrong number of arguments is refused now or when called. */
  readonly checkCalls: 'compile' | 'evaluate';
  readonly dialect: Dialect;
}

export function orNull(value: unknown): unknown {
  return value === missing ? null : value;
}
