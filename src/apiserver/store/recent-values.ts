import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../object/index.ts';

/** Characters of JSON whose objects are kept because they were read: webhook configurations are, with every write. */
const maxReadLength = 512 * 1024;
/** Enough for those who hear of a write and for its answer. What lives much longer outlives the cheap collections. */
const maxWritten = 16;

/** The values of those entries that are in use, all others being kept as texts alone. */
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
