import { errorMessage, type MaybePromise } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type {
  ExceptionProgram,
  LookUpAnswer,
  Phase,
  PolicyProgram,
  PolicyRequest,
  RequestBudget,
  RequestInfo,
  RuleResult,
} from '../policy/index.ts';
import { type EvaluationTurns, evaluate, type LookUps, type Roles } from '../runtime/index.ts';

interface AdmissionEvaluatorOptions {
  readonly lookUps: LookUps;
  readonly roles: Roles;
  readonly turns: EvaluationTurns;
}

/** One request and what its phases share: the results of look-ups, the budget. */
export interface AdmissionEvaluationContext {
  readonly request: PolicyRequest;
  readonly exceptions: readonly ExceptionProgram[];
  readonly signal: () => AbortSignal;
  readonly known: Map<string, LookUpAnswer>;
  readonly budget: RequestBudget;
}

export interface AdmissionEvaluationResult {
  readonly results: readonly RuleResult[];
  readonly object: KubeObject | undefined;
}

/**
 * Evaluates one phase, synchronously if no look-up is needed. Never throws: an error in a policy becomes an error result
 * of that policy.
 */
type AdmissionEvaluator = (
  programs: readonly PolicyProgram[],
  phase: Phase,
  context: AdmissionEvaluationContext,
) => MaybePromise<AdmissionEvaluationResult>;

export function createAdmissionEvaluator({ lookUps, roles, turns }: AdmissionEvaluatorOptions): AdmissionEvaluator {
  const guarded: AdmissionEvaluator = (programs, phase, context) => {
    const { request, exceptions, signal, known, budget } = context;
    try {
      const evaluated = evaluate(programs, request, { phase, exceptions, lookUps, signal, known, budget, turns });
      if (!(evaluated instanceof Promise)) return evaluated;
      return evaluated.catch((thrown) => evaluateEach(programs, phase, context, thrown));
    } catch (thrown) {
      return evaluateEach(programs, phase, context, thrown);
    }
  };
  /** After an unexpected exception, evaluates each policy alone, so that only the policy that throws gets error results. */
  const evaluateEach = async (
    programs: readonly PolicyProgram[],
    phase: Phase,
    context: AdmissionEvaluationContext,
    thrown: unknown,
  ): Promise<AdmissionEvaluationResult> => {
    const [only] = programs;
    if (programs.length === 1 && only) return errorResults(only, phase, context, thrown);
    const results: RuleResult[] = [];
    let { request } = context;
    for (const program of programs) {
      const evaluated = await guarded([program], phase, { ...context, request });
      results.push(...evaluated.results);
      if (evaluated.object && request.object) request = { ...request, object: evaluated.object };
    }
    return { results, object: request.object };
  };
  const withRoles = (
    programs: readonly PolicyProgram[],
    phase: Phase,
    context: AdmissionEvaluationContext,
    info: RequestInfo,
  ): MaybePromise<AdmissionEvaluationResult> => {
    const withBound = (bound: Pick<RequestInfo, 'roles' | 'clusterRoles'>) =>
      guarded(programs, phase, { ...context, request: { ...context.request, info: { ...info, ...bound } } });
    const failed = (thrown: unknown) => withoutRoles(programs, phase, context, thrown);
    try {
      const bound = roles.of(info.userInfo, context.signal);
      return bound instanceof Promise ? bound.then(withBound).catch(failed) : withBound(bound);
    } catch (thrown) {
      return failed(thrown);
    }
  };
  /** Policies that read roles fail; the others are evaluated. */
  const withoutRoles = async (
    programs: readonly PolicyProgram[],
    phase: Phase,
    context: AdmissionEvaluationContext,
    thrown: unknown,
  ): Promise<AdmissionEvaluationResult> => {
    const evaluated = await guarded(
      programs.filter((program) => !readsRoles(program)),
      phase,
      context,
    );
    const failures = programs
      .filter(readsRoles)
      .flatMap((program) => errorResults(program, phase, context, thrown).results);
    return { results: [...evaluated.results, ...failures], object: evaluated.object };
  };
  return (programs, phase, context) => {
    if (programs.length === 0) return { results: none, object: context.request.object };
    const { info } = context.request;
    return info && (anyReadsRoles(programs) || context.exceptions.some(({ reads }) => reads.roles))
      ? withRoles(programs, phase, context, info)
      : guarded(programs, phase, context);
  };
}

const none: readonly RuleResult[] = [];

/** An error result for every rule that may match the request. */
function errorResults(
  policy: PolicyProgram,
  phase: Phase,
  { request }: AdmissionEvaluationContext,
  thrown: unknown,
): AdmissionEvaluationResult {
  const message = errorMessage(thrown);
  const results = policy.rules
    .filter((rule) => rule.phase === phase && rule.mayMatchKind(request.kind, request.subresource))
    .map((rule): RuleResult => ({ policy, rule, status: 'error', message, steps: [] }));
  return { results, object: request.object };
}

/** Role bindings are looked up only if a rule or an exception reads roles. */
const readsRoles = ({ rules }: PolicyProgram): boolean => rules.some(({ reads }) => reads.roles);

const rolesAreRead = new WeakMap<readonly PolicyProgram[], boolean>();

/** A policy set selects the same list for every request of a kind. */
function anyReadsRoles(programs: readonly PolicyProgram[]): boolean {
  let reads = rolesAreRead.get(programs);
  if (reads === undefined) rolesAreRead.set(programs, (reads = programs.some(readsRoles)));
  return reads;
}
