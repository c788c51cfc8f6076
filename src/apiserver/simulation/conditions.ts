/** Conditions of the older kinds: Deployment, ReplicaSet, Job, Pod. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string | null;
}

/** Replaces the condition of the same type. lastTransitionTime is kept when the status does not change. */
export function withCondition<T extends WorkloadCondition>(list: readonly T[], next: T): T[] {
  const before = list.find((one) => one.type === next.type);
  if (!before) return [...list, next];
  const kept = before.status === next.status && before.lastTransitionTime !== undefined;
  const merged = kept ? { ...next, lastTransitionTime: before.lastTransitionTime } : next;
  return list.map((one) => (one === before ? merged : one));
}

export function withoutCondition<T extends WorkloadCondition>(list: readonly T[], type: string): T[] {
  return list.filter((one) => one.type !== type);
}

export function conditionOf<T extends WorkloadCondition>(list: readonly T[] | undefined, type: string): T | undefined {
  return list?.find((one) => one.type === type);
}

/** Omits zero counts from a status, as Go does. */
export function nonZero<T extends Readonly<Record<string, number | undefined>>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count)) as Partial<T>;
}
