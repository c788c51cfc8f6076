import { compareResourceVersions } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createdAtMs, lastWriteOf } from './writes.ts';

export type TriggerOperation = 'CREATE' | 'UPDATE';

/**
 * Up to where history is processed. Kubernetes time stamps are whole seconds, so the last second needs special care.
 */
export interface CutOff {
  readonly timeMs: number;
  /** Objects that are not newer than this have not changed since. */
  readonly resourceVersion?: string | undefined;
  /** Objects written in the second of `timeMs` whose write is already processed. */
  readonly handled?: ReadonlySet<string> | undefined;
}

const second = (ms: number) => Math.floor(ms / 1000);

/** The trigger that an object from a list stands for, if any. */
export function coldTrigger(object: KubeObject, cutOff: CutOff): TriggerOperation | undefined {
  const { deletionTimestamp, resourceVersion = '', uid = '' } = object.metadata;
  if (deletionTimestamp !== undefined) return undefined;
  if (cutOff.resourceVersion !== undefined) {
    const order = compareResourceVersions(resourceVersion, cutOff.resourceVersion);
    if (order !== undefined && order <= 0) return undefined;
  }
  const isAfter = (ms: number) => {
    const difference = second(ms) - second(cutOff.timeMs);
    return difference > 0 || (difference === 0 && !cutOff.handled?.has(uid));
  };
  if (isAfter(createdAtMs(object))) return 'CREATE';
  return isAfter(lastWriteOf(object).timeMs) ? 'UPDATE' : undefined;
}

/**
 * The trigger that an object stands for, for a rule that became known when its kind was observed up to `observed`: a
 * write after the rule and before that position. The watch delivers everything later.
 */
export function missedTrigger(object: KubeObject, since: ActiveSince, observed: CutOff): TriggerOperation | undefined {
  const isMissed = (ms: number) => isSince(since, object, ms) && isWithin(object, ms, observed);
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  if (isMissed(createdAtMs(object))) return 'CREATE';
  return isMissed(lastWriteOf(object).timeMs) ? 'UPDATE' : undefined;
}

/** Whether a write of the object is before the cut-off. */
export function isWithin({ metadata }: KubeObject, writtenMs: number, cutOff: CutOff): boolean {
  const order = compareResourceVersions(metadata.resourceVersion ?? '', cutOff.resourceVersion ?? '');
  if (order !== undefined && order <= 0) return true;
  const difference = second(writtenMs) - second(cutOff.timeMs);
  return difference < 0 || (difference === 0 && cutOff.handled?.has(metadata.uid ?? '') === true);
}

/** The trigger that a change of a known object stands for; digests are those of `digestOf`. */
export function liveTrigger(before: string, after: string, object: KubeObject): TriggerOperation | undefined {
  return object.metadata.deletionTimestamp === undefined && before !== after ? 'UPDATE' : undefined;
}

/** The write from which on a policy, or one of its rules, acts. */
export interface ActiveSince {
  readonly timeMs: number;
  /** Set only if this is certainly the version of that write and not of a later one. */
  readonly resourceVersion?: string | undefined;
}

export function creationOf(policy: KubeObject): ActiveSince {
  const { generation = 1, managedFields = [], resourceVersion } = policy.metadata;
  const isAsCreated = generation <= 1 && managedFields.length <= 1;
  return { timeMs: createdAtMs(policy), ...(isAsCreated ? { resourceVersion } : {}) };
}

/** The last change of a policy other than of its status. */
export function lastChangeOf(policy: KubeObject): ActiveSince {
  const { managedFields = [], resourceVersion } = policy.metadata;
  const { timeMs } = lastWriteOf(policy);
  const isStatusNewer = managedFields.some(
    ({ subresource = '', time = '' }) => subresource !== '' && !(Date.parse(time) < timeMs),
  );
  return { timeMs, ...(isStatusNewer ? {} : { resourceVersion }) };
}

/** Whether a write of the object came after `since`. Within one second, resource versions decide. */
export function isSince(
  { timeMs, resourceVersion }: ActiveSince,
  object: KubeObject,
  writtenMs = lastWriteOf(object).timeMs,
): boolean {
  const difference = second(writtenMs) - second(timeMs);
  if (difference !== 0 || resourceVersion === undefined) return difference >= 0;
  const order = compareResourceVersions(object.metadata.resourceVersion ?? '', resourceVersion);
  return order === undefined || order > 0;
}
