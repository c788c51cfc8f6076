import type { Environment, Scope } from '../../jmespath/index.ts';
import type { ContextEnvironment, ContextLoader } from '../context/index.ts';
import type { PolicyRequest } from '../request.ts';
import type { Resolver } from '../variables/index.ts';
import type { TraceStep } from './trace.ts';

/** One rule on its way through one request. */
export interface Run extends Resolver {
  readonly request: PolicyRequest;
  readonly scope: Scope;
  readonly environment: Environment;
  readonly context: ContextEnvironment;
  /** The same rule from its beginning on another request. */
  readonly withRequest: (request: PolicyRequest) => Run;
  /** How deep inside foreach loops. */
  readonly nesting: number;
  /** Called with what happened, when somebody wants an explanation. */
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
