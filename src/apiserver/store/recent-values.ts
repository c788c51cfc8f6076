import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../object/index.ts';

/**
 * Limit in characters of JSON for values that are cached after a read: webhook configurations are read with every
 * write.
 */
const maxReadLength = 512 * 1024;
/**
 * Enough for the listeners of a write and for its response. Values that live longer leave the young generation of the
 * garbage collector.
 */
const maxWritten = 16;

/** Caches the parsed values of recently used entries; all others are kept only as text. */
export class RecentValues<Entry extends { readonly ownLength: number }> {
  private readonly written = new LRUCache<Entry, KubeObject>({ max: maxWritten });
  private readonly read = new LRUCache<Entry, KubeObject>({
    maxSize: maxReadLength,
    sizeCalculation: (_, entry) => entry.ownLength,
  });

  get(entry: Entry): KubeObject | undefined {
    return this.read.get(entry) ?? this.written.get(entry);
  }

  addWritten(entry: Entry, value: KubeObject): void {
    this.written.set(entry, value);
  }

  addRead(entry: Entry, value: KubeObject): void {
    this.read.set(entry, value);
  }

  clear(): void {
    this.written.clear();
    this.read.clear();
  }
}
