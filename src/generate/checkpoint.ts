import { isJsonObject } from '../base/index.ts';
import { compareResourceVersions, type ResourceType } from '../kube/index.ts';
import type { WatchPosition } from './position-tracker.ts';
import type { ActiveSince, TriggerOperation } from './trigger.ts';

/** A trigger that could not be worked off: read again and tried again, while everything else goes on. */
export interface FailedTrigger {
  readonly policy: string;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly operation: TriggerOperation;
  /** The rules that failed; all of the policy when absent. */
  readonly rules?: readonly string[] | undefined;
  readonly attempts: number;
  readonly error: string;
}

/** What of the objects that were there before it a policy has looked at. */
export interface PolicyPosition {
  readonly revision: string;
  /** Not yet: up to where each kind had been observed when the policy became known. Absent when it is done. */
  readonly pending?: Readonly<Record<string, WatchPosition>> | undefined;
  /** By the names of its rules, until it is done: from when on each acts. */
  readonly since?: Readonly<Record<string, ActiveSince>> | undefined;
}

export interface DownstreamPosition {
  readonly type: ResourceType;
  readonly resourceVersion: string;
}

/** What generation knows beyond the life of a process; one ConfigMap. */
export interface Checkpoint {
  /** By `group/version/resource`. */
  readonly marks: Readonly<Record<string, WatchPosition>>;
  /** By the policies' uid. */
  readonly policies: Readonly<Record<string, PolicyPosition>>;
  readonly failed: readonly FailedTrigger[];
  /** Kinds of which synchronized objects of ours exist, and up to where their changes are known. */
  readonly downstream: Readonly<Record<string, DownstreamPosition>>;
}

export const emptyCheckpoint: Checkpoint = { marks: {}, policies: {}, failed: [], downstream: {} };
export const maxFailed = 256;
const maxErrorChars = 200;
/** So that the list of failures stays a quarter of what a ConfigMap takes. */
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

/** A text that is not a checkpoint is worth as much as none: history then begins now. */
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

/** After two leaders wrote: each position is true by itself, so that the further one stands. */
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
