import type { Entry } from './entry.ts';
import type { Change } from './store.ts';

type Listener = (change: Change) => void;

/** The objects of one stored resource, sorted by key, with the recent history. */
export interface Collection {
  readonly size: number;
  get(key: string): Entry | undefined;
  /** Entries whose key starts with `prefix`, in key order. */
  entries(prefix: string): Entry[];
  /** All entries, with keys. */
  keyed(): Iterable<{ readonly key: string; readonly entry: Entry }>;
  /** The result of `entries` at a past revision; undefined when that revision is too old. */
  entriesAt(prefix: string, revision: number): Entry[] | undefined;
  /** The changes after a revision, oldest first; undefined when that revision is too old. */
  changesSince(revision: number): readonly Change[] | undefined;
  listen(listener: Listener): () => void;
  put(key: string, entry: Entry): void;
  remove(key: string, entry: Entry): void;
  restore(key: string, entry: Entry | undefined): void;
  sealHistory(revision: number): void;
}

export function createCollection(historyLimit: number, firstRevision: number): Collection {
  const byKey = new Map<string, Entry>();
  const sorted: string[] = [];
  /** Not in `sorted` yet: new keys are sorted in together, and only for a read in order. */
  let fresh: string[] = [];
  const listeners = new Set<Listener>();
  let history: Change[] = [];
  // `history` holds everything after this revision.
  let historyStart = firstRevision;

  const sortedKeys = () => {
    if (fresh.length > fewKeys) {
      for (const key of fresh) sorted.push(key);
      sorted.sort(byCodeUnit);
    } else for (const key of fresh) sorted.splice(lowerBound(sorted, key), 0, key);
    if (fresh.length > 0) fresh = [];
    return sorted;
  };
  const deleteKey = (key: string) => {
    const keys = sortedKeys();
    const at = lowerBound(keys, key);
    if (keys[at] === key) keys.splice(at, 1);
  };
  const record = (change: Change) => {
    history.push(change);
    // Dropped in halves: removing one by one would make every write cost the length of the history.
    if (history.length > historyLimit * 2) {
      historyStart = history[historyLimit - 1]!.revision;
      history = history.slice(historyLimit);
    }
    for (const listener of listeners) listener(change);
  };
  const range = (prefix: string): Entry[] => {
    const result: Entry[] = [];
    const keys = sortedKeys();
    for (let i = prefix === '' ? 0 : lowerBound(keys, prefix); i < keys.length; i++) {
      const key = keys[i]!;
      if (!key.startsWith(prefix)) break;
      result.push(byKey.get(key)!);
    }
    return result;
  };

  return {
    get size() {
      return byKey.size;
    },
    get: (key) => byKey.get(key),
    entries: range,
    *keyed() {
      for (const key of sortedKeys()) yield { key, entry: byKey.get(key)! };
    },
    entriesAt(prefix, revision) {
      if (revision < historyStart) return undefined;
      const past = new Map<string, Entry>();
      for (const key of sortedKeys()) if (key.startsWith(prefix)) past.set(key, byKey.get(key)!);
      for (let i = history.length - 1; i >= 0 && history[i]!.revision > revision; i--) {
        const { key, previous } = history[i]!;
        if (!key.startsWith(prefix)) continue;
        if (previous) past.set(key, previous);
        else past.delete(key);
      }
      return [...past.keys()].sort(byCodeUnit).map((key) => past.get(key)!);
    },
    changesSince(revision) {
      if (revision < historyStart) return undefined;
      let from = history.length;
      while (from > 0 && history[from - 1]!.revision > revision) from--;
      return history.slice(from);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    put(key, entry) {
      const previous = byKey.get(key);
      if (!previous) fresh.push(key);
      byKey.set(key, entry);
      record({ revision: entry.revision, key, type: previous ? 'MODIFIED' : 'ADDED', entry, previous });
    },
    remove(key, entry) {
      const previous = byKey.get(key);
      if (!previous) return;
      byKey.delete(key);
      deleteKey(key);
      record({ revision: entry.revision, key, type: 'DELETED', entry, previous });
    },
    restore(key, entry) {
      const known = byKey.has(key);
      if (entry) {
        if (!known) fresh.push(key);
        byKey.set(key, entry);
      } else if (known) {
        byKey.delete(key);
        deleteKey(key);
      }
    },
    sealHistory(revision) {
      history = [];
      historyStart = revision;
    },
  };
}

/** Up to this many keys, inserting each is faster than sorting. */
const fewKeys = 16;

/** Keys sort by bytes, as in etcd; `<` on strings of ASCII names gives the same order. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
