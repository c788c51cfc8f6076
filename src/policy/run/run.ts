import type { Environment, Scope } from '../../jmespath/index.ts';
import type { ContextEnvironment, ContextLoader } from '../context/index.ts';
import type { PolicyRequest } from '../request.ts';
import type { Resolver } from '../variables/index.ts';
import type { TraceStep } from './trace.ts';

/** The state of one rule's evaluation on one request. */
export interface Run extends Resolver {
  readonly request: PolicyRequest;
  readonly scope: Scope;
  readonly environment: Environment;
  readonly context: ContextEnvironment;
  /** A fresh run of the same rule on another request. */
  readonly withRequest: (request: PolicyRequest) => Run;
  /** Nesting depth of foreach loops. */
  readonly nesting: number;
  /** Receives trace steps, with `explain`. */
  readonly trace?: ((step: TraceStep) => void) | undefined;
}

export const resolverOf = (run: Run): Resolver => run;

export function withScope(run: Run, scope: Scope): Run {
  return { ...run, scope };
}

export function withContext(run: Run, load: ContextLoader): Run {
  const scope = load(run.scope, run.context);
  return scope === run.scope ? run : { ...run, scope };
}
