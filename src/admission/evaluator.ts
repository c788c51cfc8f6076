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

export interface AdmissionEvaluatorOptions {
  readonly lookUps: LookUps;
  readonly roles: Roles;
  readonly turns: EvaluationTurns;
}

/** One request on its way through the phases; look-ups and roles are asked for once. */
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
 * Judges one phase, at once where nothing is looked up. Never throws: what goes wrong in a policy is that policy's
 * result.
 */
export type AdmissionEvaluator = (
  programs: readonly PolicyProgram[],
  phase: Phase,
  hearing: AdmissionEvaluationContext,
) => MaybePromise<AdmissionEvaluationResult>;

export function createAdmissionEvaluator({ lookUps, roles, turns }: AdmissionEvaluatorOptions): AdmissionEvaluator {
  const guarded: AdmissionEvaluator = (programs, phase, hearing) => {
    const { request, exceptions, signal, known, budget } = hearing;
    try {
      const judged = evaluate(programs, request, { phase, exceptions, lookUps, signal, known, budget, turns });
      if (!(judged instanceof Promise)) return judged;
      return judged.catch((thrown) => eachAlone(programs, phase, hearing, thrown));
    } catch (thrown) {
      return eachAlone(programs, phase, hearing, thrown);
    }
  };
  /** One of them throws what no rule should: alone, each answers for itself. */
  const eachAlone = async (
    programs: readonly PolicyProgram[],
    phase: Phase,
    hearing: AdmissionEvaluationContext,
    thrown: unknown,
  ): Promise<AdmissionEvaluationResult> => {
    const [only] = programs;
    if (programs.length === 1 && only) return failedBy(only, phase, hearing, thrown);
    const results: RuleResult[] = [];
    let { request } = hearing;
    for (const program of programs) {
      const judged = await guarded([program], phase, { ...hearing, request });
      results.push(...judged.results);
      if (judged.object && request.object) request = { ...request, object: judged.object };
    }
    return { results, object: request.object };
  };
  const withRoles = async (
    programs: readonly PolicyProgram[],
    phase: Phase,
    hearing: AdmissionEvaluationContext,
    info: RequestInfo,
  ) => {
    try {
      const bound = await roles.of(info.userInfo, hearing.signal());
      return await guarded(programs, phase, {
        ...hearing,
        request: { ...hearing.request, info: { ...info, ...bound } },
      });
    } catch (thrown) {
      const judged = await guarded(
        programs.filter((program) => !readsRoles(program)),
        phase,
        hearing,
      );
      const failures = programs
        .filter(readsRoles)
        .flatMap((program) => failedBy(program, phase, hearing, thrown).results);
      return { results: [...judged.results, ...failures], object: judged.object };
    }
  };
  return (programs, phase, hearing) => {
    if (programs.length === 0) return { results: none, object: hearing.request.object };
    const { info } = hearing.request;
    return info && (programs.some(readsRoles) || hearing.exceptions.some(({ reads }) => reads.roles))
      ? withRoles(programs, phase, hearing, info)
      : guarded(programs, phase, hearing);
  };
}

const none: readonly RuleResult[] = [];

/** Every rule that could have been for the request, as an error. */
function failedBy(
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

/** Bindings are read only where a rule, or an exception to it, reads roles. */
const readsRoles = ({ rules }: PolicyProgram): boolean => rules.some(({ reads }) => reads.roles);
