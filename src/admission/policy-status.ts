import { type Condition, setCondition } from '../object/index.ts';
import type { PolicyObject } from '../policy/index.ts';
import type { LivePolicy } from '../runtime/index.ts';
import { renderUnknownKind, type UnknownKind } from './unknown-kinds.ts';

/** The status of a ClusterPolicy or Policy, as Kyverno writes it. */
interface PolicyStatus {
  readonly autogen: { readonly rules?: readonly unknown[] };
  readonly conditions: readonly Condition[];
  readonly rulecount: {
    readonly validate: number;
    readonly mutate: number;
    readonly generate: number;
    readonly verifyimages: number;
  };
  readonly validatingadmissionpolicy: { readonly generated: boolean; readonly message: string };
}

export const maxMessageChars = 2_000;

/** A problem of a running policy that another component found. */
export interface PolicyProblem {
  readonly reason: string;
  readonly message: string;
}

/** Problems reported by the features that run policies in the background. */
export interface PolicyProblems {
  of(policy: string): PolicyProblem | undefined;
  /** Calls the listener with the key of a policy whose problem is new or resolved. */
  subscribe(listener: (policy: string) => void): () => void;
}

/** The desired status; undefined while the policy waits for its webhook: it is then neither ready nor failed. */
export function policyStatus(live: LivePolicy, options: StatusOptions): PolicyStatus | undefined {
  const { object, program } = live;
  if (program && !options.isRegistered) return undefined;
  const stored = (object['status'] as Partial<PolicyStatus> | undefined)?.conditions;
  const conditions = conditionsOf(live, stored, options);
  const rules = ((object['spec'] ?? {}) as PolicyObject['spec']).rules ?? [];
  const own = new Set(Array.isArray(rules) ? rules.map((rule) => rule?.name) : []);
  const derived = (program?.rules ?? []).filter(({ name }) => !own.has(name)).map(({ spec }) => spec);
  const count = (field: 'validate' | 'mutate' | 'generate' | 'verifyImages') =>
    Array.isArray(rules) ? rules.filter((rule) => rule?.[field]).length : 0;
  return {
    autogen: derived.length > 0 ? { rules: derived } : {},
    conditions,
    rulecount: {
      validate: count('validate'),
      mutate: count('mutate'),
      generate: count('generate'),
      verifyimages: count('verifyImages'),
    },
    validatingadmissionpolicy: { generated: false, message: '' },
  };
}

export interface StatusOptions {
  readonly isRegistered: boolean;
  /** Why the webhook of the policy is not registered. */
  readonly refusal?: string | undefined;
  readonly now: number;
  readonly problem?: PolicyProblem | undefined;
  /** Undefined while the served kinds are not known. */
  readonly unknownKinds?: readonly UnknownKind[] | undefined;
}

function conditionsOf(
  live: LivePolicy,
  stored: readonly Condition[] | undefined,
  { refusal, now, problem, unknownKinds }: StatusOptions,
): readonly Condition[] {
  const kinds = withKinds(stored, unknownKinds, now);
  const before = problem
    ? setCondition(
        kinds,
        { type: 'Working', status: 'False', ...problem, message: problem.message.slice(0, maxMessageChars) },
        now,
      )
    : kinds?.filter(({ type }) => type !== 'Working');
  const failure = failureOf(live, refusal);
  return setCondition(
    before,
    failure === undefined
      ? { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Ready' }
      : { type: 'Ready', status: 'False', reason: 'Failed', message: failure.slice(0, maxMessageChars) },
    now,
  );
}

/** Why a policy is not in force; undefined when it is. */
export function failureOf({ program, issues }: LivePolicy, refusal: string | undefined): string | undefined {
  if (refusal !== undefined) return `the policy's webhook is not registered: ${refusal}`;
  if (program) return undefined;
  const errors = issues.filter(({ severity }) => severity === 'error');
  return errors.map(({ path, message: text }) => (path === '' ? text : `${path}: ${text}`)).join('; ');
}

/** A separate condition: a policy that names kinds of a CRD that is not installed yet still works for its other kinds. */
function withKinds(
  conditions: readonly Condition[] | undefined,
  unknown: readonly UnknownKind[] | undefined,
  now: number,
): readonly Condition[] | undefined {
  if (unknown === undefined) return conditions;
  if (unknown.length === 0) return conditions?.filter(({ type }) => type !== 'KindsServed');
  return setCondition(conditions, kindsNotServed(unknown), now);
}

export function kindsNotServed(unknown: readonly UnknownKind[]): Omit<Condition, 'lastTransitionTime'> {
  const message = unknown.map(renderUnknownKind).join('; ').slice(0, maxMessageChars);
  return { type: 'KindsServed', status: 'False', reason: 'KindNotServed', message };
}
