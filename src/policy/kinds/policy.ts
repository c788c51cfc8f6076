import { cut } from '../check/issues.ts';
import type { CompiledPolicy, CompiledRule } from '../compile/index.ts';
import type { FailureAction, MatchCondition, Phase } from '../program.ts';
import { type RuleReads, readsOf } from '../reads.ts';
import type { Payload } from '../request.ts';
import type { MaybeOutcome } from '../run/outcome.ts';
import type { GenerateSpec } from '../types.ts';
import { type ConstraintMatcher, compileConstraints } from './constraints.ts';
import type { KindPolicy, KindSpec, MatchConstraints } from './types.ts';

/** What kinds have in common: how they are run, and what they are for. */

interface PolicyParts {
  readonly source: string;
  readonly isNamespaced: boolean;
  readonly emitWarning?: boolean;
  /** Conditions that the API server evaluates before it asks. */
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
  readonly rules: readonly CompiledRule[];
}

export function kindPolicy(
  policy: KindPolicy,
  { source, isNamespaced, emitWarning, matchConditions, reinvocationPolicy = 'IfNeeded', rules }: PolicyParts,
): CompiledPolicy {
  const { kind, metadata, spec } = policy;
  const namespace = isNamespaced ? (metadata.namespace ?? 'default') : '';
  const name = metadata.name ?? '';
  const shown = isNamespaced ? `${namespace}/${name}` : name;
  return {
    policy,
    form: 'cel',
    name: shown,
    key: `${kind}/${shown}`,
    namespace,
    source,
    settings: {
      // Payloads are judged in files: nobody asks about them in a cluster.
      admission: (spec.evaluation?.admission?.enabled ?? true) && isForObjects(spec),
      background: (spec.evaluation?.background?.enabled ?? true) && isForObjects(spec),
      emitWarning: emitWarning ?? false,
      failurePolicy: spec.failurePolicy ?? 'Fail',
      timeoutSeconds: spec.webhookConfiguration?.timeoutSeconds,
      matchConditions: matchConditions ?? [],
      matchPolicy: spec.matchConstraints?.matchPolicy ?? 'Equivalent',
      reinvocationPolicy,
    },
    applyOne: false,
    rules,
  };
}

const isForObjects = ({ evaluation }: KindSpec) => (evaluation?.mode ?? 'Kubernetes') === 'Kubernetes';

interface RuleParts extends Pick<CompiledRule, 'run'> {
  /** `autogen` rules are for controllers of Pods. */
  readonly isDerived?: boolean;
  readonly name?: string;
  readonly phase: Phase;
  /** For payloads of this mode, whatever the constraints say; of objects of the cluster if absent. */
  readonly mode?: Payload['mode'] | undefined;
  /** Of documents, and never of objects. */
  readonly sparesObjects?: boolean;
  readonly constraints: MatchConstraints | undefined;
  readonly policyNamespace: string;
  readonly action?: FailureAction;
  readonly actsOnOthers?: boolean;
  readonly actsOnExisting?: boolean;
  /** How the objects that it generates are kept, in the words of classic rules. */
  readonly generate?: GenerateSpec;
  readonly reads?: RuleReads;
}

/** A policy for documents judges objects too, as the documents that they are, unless it spares them. */
const payloadMatcher = (mode: Payload['mode'], sparesObjects = false): ConstraintMatcher => ({
  mayMatchKind: ({ kind }) => !sparesObjects || kind === '',
  operationsOn: () => new Set(),
  namesKind: () => false,
  operations: new Set(),
  explain: () => [],
  mismatchReason: ({ payload }) =>
    (payload?.mode ?? (sparesObjects ? undefined : 'JSON')) === mode
      ? undefined
      : `the policy is for payloads of mode ${mode}`,
});

/** The one rule of such a policy, or one that autogen derives from it. */
export function kindRule(parts: RuleParts): CompiledRule {
  const { name = '', isDerived = false, phase, constraints, policyNamespace, action = 'Audit', run } = parts;
  const matcher = parts.mode
    ? payloadMatcher(parts.mode, parts.sparesObjects)
    : compileConstraints(constraints, policyNamespace);
  return {
    name,
    origin: 0,
    isDerived,
    phase,
    spec: { name, ...(parts.generate ? { generate: parts.generate } : {}) },
    operationsOn: matcher.operationsOn,
    namesKind: matcher.namesKind,
    actsOnOthers: parts.actsOnOthers ?? false,
    actsOnExisting: parts.actsOnExisting ?? false,
    reads: parts.reads ?? readsOf([]),
    operations: matcher.operations,
    mayMatchKind: matcher.mayMatchKind,
    mismatchReason: matcher.mismatchReason,
    ...(matcher.mismatchReasonFor ? { mismatchReasonFor: matcher.mismatchReasonFor } : {}),
    explainMatch: matcher.explain,
    failureAction: () => action,
    run: (given, exceptions) => withShortMessage(run(given, exceptions)),
  };
}

/** As much as the API server takes of a message. Longer ones would be kept until they are reported. */
const maxMessageChars = 5_120;

function withShortMessage(outcome: MaybeOutcome): MaybeOutcome {
  return outcome && outcome.message.length > maxMessageChars
    ? { ...outcome, message: cut(outcome.message, maxMessageChars) }
    : outcome;
}
