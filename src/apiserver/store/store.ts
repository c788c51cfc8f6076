import type { KubeObject } from '../../object/index.ts';
import { type Collection, createCollection } from './collection.ts';
import type { Entry } from './entry.ts';
import type { Journal } from './journal.ts';
import { RecentValues } from './recent-values.ts';
import { SharedFields } from './shared-fields.ts';
import { SharedMetadata } from './shared-metadata.ts';
import { SharedTexts } from './shared-texts.ts';
import { type EntrySources, StoredEntry } from './stored-entry.ts';

export interface Change {
  readonly revision: number;
  readonly key: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The stored state; for DELETED the last state, with the deletion's own resourceVersion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

/** Changes kept per collection, so that a watch can resume. Older positions get 410, as after etcd's compaction. */
const historyLimit = 5_000;

/**
 * All objects of the cluster: one collection per stored resource, one revision counter for all. Every change is in the
 * journal before it is in memory, and in memory before any listener is called.
 */
export class Store {
  private readonly collections = new Map<string, Collection>();
  private readonly sources: EntrySources = {
    fields: new SharedFields(),
    metadata: new SharedMetadata(),
    texts: new SharedTexts(),
    values: new RecentValues(),
  };
  private lastRevision = 1;
  // A watch cannot resume from before this revision: that history is not kept.
  private historyStart = 0;

  constructor(
    private readonly journal?: Journal,
    /** Called for every change of every collection, before the watchers. */
    private readonly observer?: (storage: string, change: Change) => void,
  ) {}

  get revision(): number {
    return this.lastRevision;
  }

  collection(storage: string): Collection {
    let collection = this.collections.get(storage);
    if (!collection) {
      collection = createCollection(historyLimit, this.historyStart);
      this.collections.set(storage, collection);
      const { observer } = this;
      if (observer) collection.listen((change) => observer(storage, change));
    }
    return collection;
  }

  storages(): Iterable<string> {
    return this.collections.keys();
  }

  /** Stores the object under its key with the next resourceVersion. */
  put(storage: string, key: string, object: KubeObject): Entry {
    const collection = this.collection(storage);
    const entry = this.next(object);
    this.journal?.append({ storage, key, entry });
    this.lastRevision = entry.revision;
    collection.put(key, entry);
    return entry;
  }

  /** Removes the object. Watchers see its last state with the removal's resourceVersion. */
  remove(storage: string, key: string, last: KubeObject): Entry {
    const entry = this.next(last);
    this.journal?.append({ storage, key, revision: entry.revision });
    this.lastRevision = entry.revision;
    this.collection(storage).remove(key, entry);
    return entry;
  }

  /** Restores a journal record without recording it again. */
  restore(storage: string, key: string, object: KubeObject, revision: number): void {
    this.lastRevision = Math.max(this.lastRevision, revision);
    this.collection(storage).restore(key, StoredEntry.of(object, revision, this.sources));
  }

  restoreRevision(revision: number): void {
    this.lastRevision = Math.max(this.lastRevision, revision);
  }

  restoreRemoval(storage: string, key: string, revision: number): void {
    this.lastRevision = Math.max(this.lastRevision, revision);
    this.collection(storage).restore(key, undefined);
  }

  /** Called once after restoring: no watch can resume from before this point. */
  sealHistory(): void {
    this.historyStart = this.lastRevision;
    for (const collection of this.collections.values()) collection.sealHistory(this.lastRevision);
  }

  private next(object: KubeObject): Entry {
    return StoredEntry.of(object, this.lastRevision + 1, this.sources);
  }
}
