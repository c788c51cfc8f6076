import type { Clock } from '../base/index.ts';
import type { Discovery, KubeError } from '../kube/index.ts';
import { gvkOf, type KubeObject } from '../object/index.ts';
import type {
  ExceptionProgram,
  MatchedKind,
  Phase,
  PolicyOperation,
  PolicyProgram,
  RequestInfo,
  RuleProgram,
  RuleResult,
} from '../policy/index.ts';
import { type EvaluationTurns, evaluate, type LookUps, type Namespaces } from '../runtime/index.ts';
import { withPullSecrets } from './pod-look-ups.ts';
import { recordLookUps } from './recording-look-ups.ts';

/** One reason to run rules, with the object in its state at that time. */
export interface TriggerContext {
  readonly operation: PolicyOperation;
  /** Absent for DELETE. */
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  readonly subresource?: string | undefined;
  readonly info?: RequestInfo | undefined;
}

interface RuleRunnerOptions {
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly lookUps: LookUps;
  readonly clock: Clock;
  readonly namespaces: Namespaces;
  readonly exceptions: () => readonly ExceptionProgram[];
  readonly turns?: EvaluationTurns | undefined;
}

export interface RuleRun {
  readonly results: readonly RuleResult[];
  /** Objects found while looking for clone sources. */
  readonly sources: readonly KubeObject[];
  /** The look-up that was forbidden: the cause of an error among the results. */
  readonly refused: KubeError | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** The kind of the trigger, as rules match it. */
  readonly kind: MatchedKind;
}

export type RunRules = (
  program: PolicyProgram,
  rules: readonly RuleProgram[],
  context: TriggerContext,
  signal: AbortSignal,
) => Promise<RuleRun>;

/** Runs rules of one policy for one trigger, with every look-up they may need. */
export function createRuleRunner(options: RuleRunnerOptions): RunRules {
  const { clock, namespaces, exceptions, turns, discovery } = options;
  return async (program, rules, context, signal) => {
    const subject = context.object ?? context.oldObject;
    if (!subject) throw new Error('a trigger without an object');
    const recording = recordLookUps(withPullSecrets(options.lookUps, subject));
    const { lookUps } = recording;
    const { namespace } = subject.metadata;
    const labels = namespace ? (namespaces.labels(namespace) ?? (await namespaces.fetchLabels(namespace, signal))) : {};
    // Policies of expressions name the plural, which a kind alone does not tell.
    const type = await discovery.byKind(gvkOf(subject), { signal });
    const kind = { ...gvkOf(subject), resource: type?.resource };
    const request = {
      ...context,
      kind,
      subresource: context.subresource ?? '',
      namespaceLabels: labels,
      uid: subject.metadata.uid ?? '',
      now: clock.now(),
    };
    const results: RuleResult[] = [];
    const known = new Map();
    for (const phase of ['mutate', 'generate'] satisfies readonly Phase[]) {
      const ofPhase = rules.filter((rule) => rule.phase === phase);
      if (ofPhase.length === 0) continue;
      // The policy's other rules are for admission; here they would only modify the object.
      const part = { ...program, rules: ofPhase };
      const run = await evaluate([part], request, { phase, exceptions: exceptions(), lookUps, signal, known, turns });
      results.push(...run.results);
    }
    return { results, sources: recording.found, refused: recording.refused, namespaceLabels: labels, kind };
  };
}
