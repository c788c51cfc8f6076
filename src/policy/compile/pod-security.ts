import { errorMessage } from '../../base/index.ts';
import { compilePodSecurity, renderPodSecurityFailure } from '../podsecurity/index.ts';
import { errored, failed, type MaybeOutcome, pass } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import type { PodSecurityExclusion, PodSecuritySpec } from '../types.ts';

/** Evaluates with the exclusions of exceptions in addition to those of the rule. */
export type PodSecurityCheck = (run: Run, exclusions: readonly PodSecurityExclusion[]) => MaybeOutcome;

/** `validate.podSecurity`: the Pod Security Standards on a pod or the pod template of a controller. */
export function compilePodSecurityCheck(rule: string, spec: PodSecuritySpec): PodSecurityCheck {
  const evaluatePod = compilePodSecurity(spec);
  return (run, exclusions) => {
    const { operation, object } = run.request;
    if (operation === 'DELETE') return undefined;
    try {
      const { allowed, checks } = evaluatePod(object, { exclude: exclusions });
      for (const { control, forbiddenReason: message } of checks) {
        run.trace?.({ kind: 'control', control, allowed: false, message });
      }
      if (allowed) return pass(`Validation rule '${rule}' passed.`);
      return failed(renderPodSecurityFailure(rule, spec, checks, object?.kind));
    } catch (thrown) {
      return errored(`Error while getting new resource: ${errorMessage(thrown)}`);
    }
  };
}
