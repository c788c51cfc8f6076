import type { Environment, Scope, WorkBudget } from '../../jmespath/index.ts';
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
  /** That of the environment. */
  readonly budget: WorkBudget;
  /** Whether expressions see all of the object's namespace, which must be looked up. */
  readonly readsNamespace: boolean;
  /** A fresh run of the same rule on another request. */
  readonly withRequest: (request: PolicyRequest) => Run;
  /** Nesting depth of foreach loops. */
  readonly nesting: number;
  /** Receives trace steps, with `explain`. */
  readonly trace?: ((step: TraceStep) => void) | undefined;
}

export const resolverOf = (run: Run): Resolver => run;

/** The run with other parts: it may make its own when they are read, so that spreading it would lose them. */
export function changedRun(run: Run, changes: Partial<Run>): Run {
  const { request, scope, environment, isDelete, context, budget, readsNamespace, withRequest, nesting, trace } = run;
  return {
    request,
    scope,
    environment,
    isDelete,
    context,
    budget,
    readsNamespace,
    withRequest,
    nesting,
    trace,
    ...changes,
  };
}

export function withScope(run: Run, scope: Scope): Run {
  return changedRun(run, { scope });
}

export function withContext(run: Run, load: ContextLoader): Run {
  const scope = load(run.scope, run.context);
  return scope === run.scope ? run : changedRun(run, { scope });
}
