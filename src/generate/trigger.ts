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
 * What an object is the trigger of for a policy that became known when its kind had been followed up to `heard`: what was
 * written after `sinceMs` and before that. Everything later is told live.
 */
export function missedTrigger(object: KubeObject, sinceMs: number, heard: CutOff): TriggerOperation | undefined {
  const isMissed = (ms: number) => second(ms) >= second(sinceMs) && isWithin(object, ms, heard);
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

/** A policy sees only what was written after it was. */
export function isSince(policy: KubeObject, object: KubeObject): boolean {
  const [written, begun] = [second(lastWriteOf(object).timeMs), second(createdAtMs(policy))];
  if (written !== begun) return written > begun;
  // Within one second the order of versions tells, where the policy's is still the one it was created with.
  const isAsCreated = (policy.metadata.managedFields?.length ?? 0) <= 1;
  const order = compareResourceVersions(object.metadata.resourceVersion ?? '', policy.metadata.resourceVersion ?? '');
  return !isAsCreated || order === undefined || order > 0;
}
