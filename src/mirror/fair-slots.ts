import type { KeySink, Reconcile, Source } from '../controller/index.ts';

/**
 * Shares the slots of a controller between groups of keys. Each group has a maximum, and waiting groups take turns. So
 * slow images of one tenant never block the copies of another. A waiting key occupies no worker.
 */
export interface FairSlots {
  readonly source: Source;
  guard(reconcile: Reconcile): Reconcile;
}

export interface FairSlotsOptions {
  readonly total: number;
  readonly perGroup: number;
  /** The groups that want the key; it runs as soon as one of them has room. */
  readonly groupsOf: (key: string) => readonly string[];
}

export function createFairSlots({ total, perGroup, groupsOf }: FairSlotsOptions): FairSlots {
  /** Key → group, for keys that hold a slot. */
  const holders = new Map<string, string>();
  /** Group → its keys, both in the order of their turn. */
  const waiting = new Map<string, Set<string>>();
  let sink: Pick<KeySink, 'add'> | undefined;
  const hasRoom = (group: string) => {
    if (holders.size >= total) return false;
    let count = 0;
    for (const holder of holders.values()) if (holder === group) count++;
    return count < perGroup;
  };
  const take = (key: string, group: string) => {
    for (const [other, keys] of waiting) if (keys.delete(key) && keys.size === 0) waiting.delete(other);
    holders.set(key, group);
  };
  const enter = (key: string): boolean => {
    if (holders.has(key)) return true;
    const groups = groupsOf(key);
    // A new key does not overtake waiting keys of its group.
    const free = groups.find((group) => hasRoom(group) && !waiting.has(group));
    if (free !== undefined) take(key, free);
    else for (const group of groups) waiting.set(group, (waiting.get(group) ?? new Set()).add(key));
    return free !== undefined;
  };
  const leave = (key: string) => {
    holders.delete(key);
    for (const group of [...waiting.keys()]) {
      const keys = waiting.get(group);
      const [next] = keys ?? [];
      if (!keys || next === undefined || !hasRoom(group)) continue;
      take(next, group);
      // Move the group to the end of the round.
      if (waiting.delete(group) && keys.size > 0) waiting.set(group, keys);
      sink?.add(next);
    }
  };
  return {
    // Every run of a controller starts with an empty queue.
    source(given) {
      holders.clear();
      waiting.clear();
      sink = given;
    },
    guard: (reconcile) => async (key, signal) => {
      if (!enter(key)) return undefined;
      try {
        return (await reconcile(key, signal)) ?? undefined;
      } finally {
        leave(key);
      }
    },
  };
}
