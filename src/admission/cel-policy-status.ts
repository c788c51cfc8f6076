import { type Condition, type KubeObject, setCondition } from '../object/index.ts';
import { type DerivedSpec, derivedSpecsOf } from '../policy/index.ts';
import type { LivePolicy } from '../runtime/index.ts';
import { failureOf, kindsNotServed, maxMessageChars, type StatusOptions } from './policy-status.ts';

/** The status of a policy of expressions, with Kyverno's conditions: its users and tests wait for them by name. */
interface CelPolicyStatus {
  readonly conditionStatus: {
    readonly ready: boolean;
    readonly message: string;
    readonly conditions: readonly Condition[];
  };
  /** The specs that are derived for controllers of Pods. */
  readonly autogen: { readonly configs?: Readonly<Record<string, Omit<DerivedSpec<unknown>, 'name'>>> };
}

/** An object may have 1.5 MiB: larger policies are in force without showing what is derived from them. */
const maxAutogenChars = 400_000;

/** Undefined while the policy waits for its webhook. */
export function celPolicyStatus(live: LivePolicy, options: StatusOptions): CelPolicyStatus | undefined {
  const { object, program } = live;
  if (program && !options.isRegistered) return undefined;
  const stored = (object['status'] as Partial<CelPolicyStatus> | undefined)?.conditionStatus?.conditions ?? [];
  const wanted = conditionsOf(live, options);
  const conditions = wanted.reduce(
    (result, condition) => setCondition(result, condition, options.now),
    stored.filter(({ type }) => wanted.some((condition) => condition.type === type)) as readonly Condition[],
  );
  const failed = conditions.filter(({ status }) => status !== 'True');
  return {
    conditionStatus: {
      // A policy that does a part of its work is in force.
      ready: failed.every(({ type }) => partial.has(type)),
      message: failed
        .map(({ message }) => message)
        .join('; ')
        .slice(0, maxMessageChars),
      conditions,
    },
    autogen: program ? autogenOf(object) : {},
  };
}

const partial: ReadonlySet<string> = new Set(['Working', 'KindsServed']);

type Wanted = Omit<Condition, 'lastTransitionTime'>;

function conditionsOf(live: LivePolicy, { refusal, problem, unknownKinds }: StatusOptions): readonly Wanted[] {
  const { program } = live;
  const failure = failureOf(live, refusal);
  const isForbidden = problem?.reason === 'MissingPermission';
  const conditions: Wanted[] = [];
  if (failure !== undefined) conditions.push(condition('WebhookConfigured', failure));
  // A policy that is not for requests has no webhook to be configured.
  else if (program?.settings.admission ?? true)
    conditions.push(condition('WebhookConfigured', undefined, 'Webhook configured.'));
  if (isForbidden)
    conditions.push(condition('RBACPermissionsGranted', `Policy is not ready for reporting, ${problem.message}`));
  else
    conditions.push(
      condition(
        'RBACPermissionsGranted',
        undefined,
        (program?.settings.background ?? true)
          ? 'Policy is ready for reporting.'
          : 'Background scanning disabled; reporting permissions not required.',
      ),
    );
  if (problem && !isForbidden)
    conditions.push({
      type: 'Working',
      status: 'False',
      ...problem,
      message: problem.message.slice(0, maxMessageChars),
    });
  if (unknownKinds?.length) conditions.push(kindsNotServed(unknownKinds));
  return conditions;
}

const condition = (type: string, failure: string | undefined, message = ''): Wanted =>
  failure === undefined
    ? { type, status: 'True', reason: 'Succeeded', message }
    : { type, status: 'False', reason: 'Failed', message: failure.slice(0, maxMessageChars) };

function autogenOf(policy: KubeObject): CelPolicyStatus['autogen'] {
  const derived = derivedSpecsOf(policy);
  if (derived.length === 0) return {};
  const configs = Object.fromEntries(derived.map(({ name, targets, spec }) => [name, { targets, spec }]));
  return JSON.stringify(configs).length > maxAutogenChars ? {} : { configs };
}
