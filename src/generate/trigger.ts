import { compareResourceVersions } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createdAtMs, lastWriteOf } from './writes.ts';

export type TriggerOperation = 'CREATE' | 'UPDATE';

/** Up to where history counts as done. Kubernetes' time stamps are whole seconds, so the last one needs more care. */
export interface CutOff {
  readonly timeMs: number;
  /** Objects that are not newer than this have not changed since. */
  readonly resourceVersion?: string | undefined;
  /** Objects written in the second of `timeMs` whose write is done already. */
  readonly handled?: ReadonlySet<string> | undefined;
}

const second = (ms: number) => Math.floor(ms / 1000);

/** What an object that was there before we looked is the trigger of, if anything. */
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
 * What an object is the trigger of for a rule that became known when its kind had been followed up to `observed`: what was
 * written after the rule and before that. Everything later is told live.
 */
export function missedTrigger(object: KubeObject, since: ActiveSince, observed: CutOff): TriggerOperation | undefined {
  const isMissed = (ms: number) => isSince(since, object, ms) && isWithin(object, ms, observed);
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  if (isMissed(createdAtMs(object))) return 'CREATE';
  return isMissed(lastWriteOf(object).timeMs) ? 'UPDATE' : undefined;
}

/** Whether a write of the object lies before the cut-off. */
export function isWithin({ metadata }: KubeObject, writtenMs: number, cutOff: CutOff): boolean {
  const order = compareResourceVersions(metadata.resourceVersion ?? '', cutOff.resourceVersion ?? '');
  if (order !== undefined && order <= 0) return true;
  const difference = second(writtenMs) - second(cutOff.timeMs);
  return difference < 0 || (difference === 0 && cutOff.handled?.has(metadata.uid ?? '') === true);
}

/** What a change of a known object is the trigger of; digests are those of `digestOf`. */
export function liveTrigger(before: string, after: string, object: KubeObject): TriggerOperation | undefined {
  return object.metadata.deletionTimestamp === undefined && before !== after ? 'UPDATE' : undefined;
}

/** The write from which on a policy, or a rule of it, acts. */
export interface ActiveSince {
  readonly timeMs: number;
  /** Where it is certain that this is the version of that write and of no later one. */
  readonly resourceVersion?: string | undefined;
}

export function creationOf(policy: KubeObject): ActiveSince {
  const { generation = 1, managedFields = [], resourceVersion } = policy.metadata;
  const isAsCreated = generation <= 1 && managedFields.length <= 1;
  return { timeMs: createdAtMs(policy), ...(isAsCreated ? { resourceVersion } : {}) };
}

/** The last change of a policy that was not one of its status. */
export function lastChangeOf(policy: KubeObject): ActiveSince {
  const { managedFields = [], resourceVersion } = policy.metadata;
  const { timeMs } = lastWriteOf(policy);
  const isStatusNewer = managedFields.some(
    ({ subresource = '', time = '' }) => subresource !== '' && !(Date.parse(time) < timeMs),
  );
  return { timeMs, ...(isStatusNewer ? {} : { resourceVersion }) };
}

/** Whether a write of the object came after the start; within one second the order of versions tells. */
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
