import { isJsonObject } from '../base/index.ts';
import { compareResourceVersions, type ResourceType } from '../kube/index.ts';
import type { WatchPosition } from './position-tracker.ts';
import type { ActiveSince, TriggerOperation } from './trigger.ts';

/** A trigger that failed. It is read again and retried while everything else continues. */
export interface FailedTrigger {
  readonly policy: string;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly operation: TriggerOperation;
  /** The rules that failed; absent for all rules of the policy. */
  readonly rules?: readonly string[] | undefined;
  readonly attempts: number;
  readonly error: string;
}

/** Which of the objects that existed before it a policy has processed. */
export interface PolicyPosition {
  readonly revision: string;
  /** Per kind, the position observed when the policy became known. Absent when the scan is complete. */
  readonly pending?: Readonly<Record<string, WatchPosition>> | undefined;
  /** Per rule name, until the scan is complete: from when on the rule acts. */
  readonly since?: Readonly<Record<string, ActiveSince>> | undefined;
}

export interface DownstreamPosition {
  readonly type: ResourceType;
  readonly resourceVersion: string;
}

/** What generation must remember across restarts; stored in one ConfigMap. */
export interface Checkpoint {
  /** Watch positions by `group/version/resource`. The name is part of the stored format. */
  readonly marks: Readonly<Record<string, WatchPosition>>;
  /** By the policies' uid. */
  readonly policies: Readonly<Record<string, PolicyPosition>>;
  readonly failed: readonly FailedTrigger[];
  /** Kinds of which we own synchronized objects, and the resource version up to which their changes are processed. */
  readonly downstream: Readonly<Record<string, DownstreamPosition>>;
}

export const emptyCheckpoint: Checkpoint = { marks: {}, policies: {}, failed: [], downstream: {} };
export const maxFailed = 256;
const maxErrorChars = 200;
/** Keeps the list of failed triggers within a quarter of a ConfigMap's maximum size. */
const maxFailedRules = 16;

export const failedKey = ({
  policy,
  type,
  uid,
  operation,
}: Pick<FailedTrigger, 'policy' | 'type' | 'uid' | 'operation'>): string =>
  `${policy} ${type.group}/${type.resource} ${uid} ${operation}`;

export function failedTrigger({ rules, ...failed }: FailedTrigger): FailedTrigger {
  const named = rules && rules.length <= maxFailedRules ? { rules } : {};
  return { ...failed, ...named, error: failed.error.slice(0, maxErrorChars) };
}

export function renderCheckpoint(checkpoint: Checkpoint): string {
  return JSON.stringify(checkpoint);
}

/** Undefined for a text that is not a checkpoint. Generation then starts from now. */
export function parseCheckpoint(text: string | undefined): Checkpoint | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const part = (name: string) => (isJsonObject(value[name]) ? value[name] : {});
  const marks = Object.entries(part('marks')).filter(([, position]) => isWatchPosition(position));
  const failed = Array.isArray(value['failed']) ? value['failed'].filter(isJsonObject) : [];
  return {
    marks: Object.fromEntries(marks) as unknown as Checkpoint['marks'],
    policies: part('policies') as unknown as Checkpoint['policies'],
    failed: failed.slice(0, maxFailed) as unknown as readonly FailedTrigger[],
    downstream: part('downstream') as unknown as Checkpoint['downstream'],
  };
}

function isWatchPosition(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value['resourceVersion'] === 'string' &&
    typeof value['timeMs'] === 'number' &&
    Array.isArray(value['handled'])
  );
}

/** Merges the checkpoints of two leaders. Each position is valid on its own, so the later one wins. */
export function mergeCheckpoints(ours: Checkpoint, theirs: Checkpoint): Checkpoint {
  const marks = { ...theirs.marks };
  for (const [kind, position] of Object.entries(ours.marks)) {
    const other = marks[kind];
    if (!other || (compareResourceVersions(position.resourceVersion, other.resourceVersion) ?? 1) > 0)
      marks[kind] = position;
  }
  const failed = new Map([...theirs.failed, ...ours.failed].map((one) => [failedKey(one), one]));
  return {
    marks,
    policies: { ...theirs.policies, ...ours.policies },
    failed: [...failed.values()].slice(-maxFailed),
    downstream: { ...theirs.downstream, ...ours.downstream },
  };
}
