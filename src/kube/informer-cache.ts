import type { PackedUid, PackedVersion } from './packed.ts';

/** One cached object. There may be hundreds of thousands. */
export interface CacheEntry<S> {
  readonly key: string;
  readonly uid: PackedUid;
  resourceVersion: PackedVersion;
  stored: S;
  /** The last list that contained the object, or the newest when an event did. */
  generation: number;
}

/** The index values of an object; must depend only on the stored form. */
type IndexFunction<S> = (stored: S) => readonly string[];
export type Indexes<S> = Readonly<Record<string, IndexFunction<S>>>;

interface Index<S> {
  readonly keysOf: IndexFunction<S>;
  readonly entries: Map<string, Set<CacheEntry<S>>>;
}

/** Stored forms by `namespace/name`, and by the values of named indexes. */
export class InformerCache<S> {
  private readonly entries = new Map<string, CacheEntry<S>>();
  private readonly indexes = new Map<string, Index<S>>();

  get size(): number {
    return this.entries.size;
  }

  get(key: string): CacheEntry<S> | undefined {
    return this.entries.get(key);
  }

  values(): IterableIterator<CacheEntry<S>> {
    return this.entries.values();
  }

  /** An index function that throws leaves the cache unchanged; the same holds for `update`. */
  add(entry: CacheEntry<S>): void {
    const found = this.keysOf(entry.stored);
    this.entries.set(entry.key, entry);
    for (const [index, keys] of found) insert(index, keys, entry);
  }

  update(entry: CacheEntry<S>, stored: S, resourceVersion: PackedVersion): void {
    const found = this.keysOf(stored);
    for (const index of this.indexes.values()) remove(index, entry);
    entry.stored = stored;
    entry.resourceVersion = resourceVersion;
    for (const [index, keys] of found) insert(index, keys, entry);
  }

  private keysOf(stored: S): readonly (readonly [Index<S>, readonly string[]])[] {
    return [...this.indexes.values()].map((index) => [index, index.keysOf(stored)]);
  }

  delete(entry: CacheEntry<S>): void {
    this.entries.delete(entry.key);
    for (const index of this.indexes.values()) remove(index, entry);
  }

  /** Adds an index over the existing entries; an index that has this name already is kept. */
  addIndex(name: string, keysOf: IndexFunction<S>): void {
    if (this.indexes.has(name)) return;
    const index: Index<S> = { keysOf, entries: new Map() };
    for (const entry of this.entries.values()) insert(index, keysOf(entry.stored), entry);
    this.indexes.set(name, index);
  }

  byIndex(name: string, key: string): Iterable<CacheEntry<S>> {
    const index = this.indexes.get(name);
    // A look-up in an index that does not exist is a bug, not an empty result.
    if (index === undefined) throw new RangeError(`the informer has no index "${name}"`);
    return index.entries.get(key) ?? [];
  }

  indexKeys(name: string): Iterable<string> {
    return this.indexes.get(name)?.entries.keys() ?? [];
  }
}

function insert<S>(index: Index<S>, keys: readonly string[], entry: CacheEntry<S>): void {
  for (const key of keys) {
    const found = index.entries.get(key);
    if (found) found.add(entry);
    else index.entries.set(key, new Set([entry]));
  }
}

function remove<S>(index: Index<S>, entry: CacheEntry<S>): void {
  for (const key of index.keysOf(entry.stored)) {
    const found = index.entries.get(key);
    found?.delete(entry);
    if (found?.size === 0) index.entries.delete(key);
  }
}
