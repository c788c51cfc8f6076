import type { KubeObject } from '../object/index.ts';
import { type CacheEntry, InformerCache } from './informer-cache.ts';
import { compareResourceVersions } from './resource-version.ts';

export type Origin = 'listed' | 'added' | 'modified';

/** What the cache made of a list item or an event; `object` is whole, `stored` is what the cache keeps. */
export type Change<T extends KubeObject, S> =
  | {
      readonly type: 'add';
      readonly key: string;
      readonly stored: S;
      readonly object: T;
      /** What told of it. `modified` when the watch began after the object did and no list came before. */
      readonly origin: Origin;
    }
  | { readonly type: 'update'; readonly key: string; readonly stored: S; readonly previous: S; readonly object: T }
  | {
      readonly type: 'delete';
      readonly key: string;
      readonly stored: S;
      /** The last state; absent when only a new list showed that the object is gone. */
      readonly object: T | undefined;
    };

// Only replays of deletions that happened moments ago need to be recognised.
const maxTombstones = 1024;

/**
 * Turns lists and events into changes: each (uid, resourceVersion) at most once, whatever is replayed, and a
 * deletion for every object that a list no longer names. Pure state: no I/O, no clock.
 */
export class InformerState<T extends KubeObject, S> {
  readonly cache = new InformerCache<S>();
  /** Where a watch goes on; undefined when only a new list can tell. */
  resourceVersion: string | undefined;
  private generation = 0;
  private hasListed = false;
  /** uid → version of its deletion. */
  private readonly tombstones = new Map<string, string>();

  constructor(
    private readonly project: (object: T) => S,
    private readonly emit: (change: Change<T, S>) => void,
  ) {}

  beginList(): void {
    this.generation++;
  }

  /** A list is newer than anything known: what differs from it changes, in whichever direction. */
  listed(object: T): void {
    const key = objectKey(object);
    const uid = identityOf(object, key);
    const entry = this.cache.get(key);
    if (entry === undefined) this.add(key, object, 'listed');
    else if (entry.uid !== uid) {
      this.drop(entry, undefined, entry.resourceVersion);
      this.add(key, object, 'listed');
    } else if (entry.resourceVersion !== versionOf(object)) this.update(entry, object);
    else entry.generation = this.generation;
  }

  /** Deletes what the list did not name; a watch goes on from `resourceVersion`. */
  endList(resourceVersion: string): void {
    const gone = [...this.cache.values()].filter((entry) => entry.generation !== this.generation);
    for (const entry of gone) this.drop(entry, undefined, entry.resourceVersion);
    this.resourceVersion = resourceVersion;
    this.hasListed = true;
  }

  bookmark(resourceVersion: string): void {
    this.advance(resourceVersion);
  }

  /** False when the event was a replay and nothing happened. */
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): boolean {
    const key = objectKey(object);
    const uid = identityOf(object, key);
    const version = versionOf(object);
    const entry = this.cache.get(key);
    if (this.isReplay(type, uid, version, entry)) return false;
    if (type === 'DELETED') {
      if (entry?.uid === uid) this.drop(entry, object, version);
      else {
        this.bury(uid, version);
        // Only a watch that no list preceded can tell the end of what it never showed.
        if (entry === undefined && !this.hasListed)
          this.emit({ type: 'delete', key, stored: this.project(object), object });
      }
    } else if (entry === undefined) this.add(key, object, type === 'ADDED' ? 'added' : 'modified');
    else if (entry.uid === uid) this.update(entry, object);
    else {
      // The deletion between the two was never seen.
      this.drop(entry, undefined, entry.resourceVersion);
      this.add(key, object, 'added');
    }
    this.advance(version);
    return true;
  }

  /**
   * Passes over an object that the projection or an index failed on. The last state that could be handled stays: the
   * object is not gone, and nobody may act as if it were.
   */
  skip(object: T): void {
    // A list sets the version at its end; within a list there is none to advance.
    if (this.resourceVersion !== undefined) this.advance(versionOf(object));
  }

  private isReplay(type: string, uid: string, version: string, entry: CacheEntry<S> | undefined): boolean {
    if (entry !== undefined) {
      const order = compareResourceVersions(version, entry.resourceVersion);
      // Servers outside Kubernetes' own may send the last known version with a deletion.
      if (entry.uid === uid && type === 'DELETED') return order !== undefined && order < 0;
      return order !== undefined && order <= 0;
    }
    const buried = this.tombstones.get(uid);
    if (buried !== undefined && buried === version) return true;
    // Unknown here, yet not newer than what this watch has passed: it was deleted before.
    const reached = buried ?? this.resourceVersion;
    const order = reached === undefined ? undefined : compareResourceVersions(version, reached);
    return order !== undefined && order <= 0;
  }

  private add(key: string, object: T, origin: Origin): void {
    const uid = identityOf(object, key);
    const stored = this.project(object);
    this.tombstones.delete(uid);
    this.cache.add({ key, uid, resourceVersion: versionOf(object), stored, generation: this.generation });
    this.emit({ type: 'add', key, stored, object, origin });
  }

  private update(entry: CacheEntry<S>, object: T): void {
    const previous = entry.stored;
    entry.generation = this.generation;
    this.cache.update(entry, this.project(object), versionOf(object));
    this.emit({ type: 'update', key: entry.key, stored: entry.stored, previous, object });
  }

  private drop(entry: CacheEntry<S>, object: T | undefined, version: string): void {
    this.cache.delete(entry);
    this.bury(entry.uid, version);
    this.emit({ type: 'delete', key: entry.key, stored: entry.stored, object });
  }

  private bury(uid: string, version: string): void {
    this.tombstones.delete(uid);
    this.tombstones.set(uid, version);
    if (this.tombstones.size > maxTombstones) this.tombstones.delete(this.tombstones.keys().next().value as string);
  }

  /** Never back: a replayed bookmark must not make the next watch repeat history. */
  private advance(version: string): void {
    if (version === '') return;
    const order = this.resourceVersion === undefined ? 1 : compareResourceVersions(version, this.resourceVersion);
    if (order === undefined || order > 0) this.resourceVersion = version;
  }
}

/** `namespace/name`, or only the name for what lives in no namespace. */
export function objectKey({ metadata }: KubeObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '');
}

/** The few servers that give no uid know an object by its name alone. */
const identityOf = (object: KubeObject, key: string): string => object.metadata.uid ?? key;

const versionOf = (object: KubeObject): string => object.metadata.resourceVersion ?? '';
