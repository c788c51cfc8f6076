import type { KubeObject } from '../object/index.ts';
import { type CacheEntry, InformerCache } from './informer-cache.ts';
import { type PackedUid, type PackedVersion, packUid, packVersion, unpackVersion } from './packed.ts';
import { compareResourceVersions } from './resource-version.ts';

export type Origin = 'listed' | 'added' | 'modified';

/** The change that a list item or an event caused; `object` is whole, `stored` is the cached form. */
export type Change<T extends KubeObject, S> =
  | {
      readonly type: 'add';
      readonly key: string;
      readonly stored: S;
      readonly object: T;
      /** The kind of input. `modified` when the watch started after the object was created and no list came before. */
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

// Only replays of very recent deletions need to be recognised.
const maxTombstones = 1024;

/**
 * Turns lists and events into changes: each (uid, resourceVersion) at most once, whatever is replayed, and a deletion
 * for every object that a list no longer contains. Pure state: no I/O, no clock.
 */
export class InformerState<T extends KubeObject, S> {
  readonly cache = new InformerCache<S>();
  /** Where a watch resumes; undefined when a new list is needed. */
  resourceVersion: string | undefined;
  private generation = 0;
  private hasListed = false;
  /** uid → version of its deletion. */
  private readonly tombstones = new Map<PackedUid, PackedVersion>();

  constructor(
    /** The key is the one that the cache keeps: a stored form that has it needs no name of its own. */
    private readonly project: (object: T, key: string) => S,
    private readonly emit: (change: Change<T, S>) => void,
  ) {}

  beginList(): void {
    this.generation++;
  }

  /** A list is newer than the cache: every difference is a change, in either direction. */
  listed(object: T): void {
    const key = objectKey(object);
    const uid = identityOf(object, key);
    const entry = this.cache.get(key);
    if (entry === undefined) this.add(key, object, 'listed');
    else if (entry.uid !== uid) {
      this.drop(entry, undefined, entry.resourceVersion);
      this.add(key, object, 'listed');
    } else if (entry.resourceVersion !== packedVersionOf(object)) this.update(entry, object);
    else entry.generation = this.generation;
  }

  /** Deletes objects that the list did not contain; a watch resumes from `resourceVersion`. */
  endList(resourceVersion: string): void {
    const gone = [...this.cache.values()].filter((entry) => entry.generation !== this.generation);
    for (const entry of gone) this.drop(entry, undefined, entry.resourceVersion);
    this.resourceVersion = resourceVersion;
    this.hasListed = true;
  }

  bookmark(resourceVersion: string): void {
    this.advance(resourceVersion);
  }

  /** False when the event was a replay and nothing changed. */
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): boolean {
    const key = objectKey(object);
    const uid = identityOf(object, key);
    const version = versionOf(object);
    const packed = packVersion(version);
    const entry = this.cache.get(key);
    if (this.isReplay(type, uid, version, entry)) return false;
    if (type === 'DELETED') {
      if (entry?.uid === uid) this.drop(entry, object, packed);
      else {
        this.bury(uid, packed);
        // Only a watch without a preceding list can report the deletion of an object it never showed.
        if (entry === undefined && !this.hasListed)
          this.emit({ type: 'delete', key, stored: this.project(object, key), object });
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
   * Skips an object for which the projection or an index failed. The last good state stays: the object is not deleted,
   * and no handler may act as if it were.
   */
  skip(object: T): void {
    // A list sets the version at its end; within a list there is none to advance.
    if (this.resourceVersion !== undefined) this.advance(versionOf(object));
  }

  private isReplay(type: string, uid: PackedUid, version: string, entry: CacheEntry<S> | undefined): boolean {
    if (entry !== undefined) {
      const order = compareResourceVersions(version, unpackVersion(entry.resourceVersion));
      // Servers other than Kubernetes' own may send the last known version with a deletion.
      if (entry.uid === uid && type === 'DELETED') return order !== undefined && order < 0;
      return order !== undefined && order <= 0;
    }
    const tombstone = this.tombstones.get(uid);
    const buried = tombstone === undefined ? undefined : unpackVersion(tombstone);
    if (buried !== undefined && buried === version) return true;
    // Unknown here, and not newer than the position of this watch: it was deleted before.
    const reached = buried ?? this.resourceVersion;
    const order = reached === undefined ? undefined : compareResourceVersions(version, reached);
    return order !== undefined && order <= 0;
  }

  private add(key: string, object: T, origin: Origin): void {
    const uid = identityOf(object, key);
    const stored = this.project(object, key);
    this.tombstones.delete(uid);
    this.cache.add({ key, uid, resourceVersion: packedVersionOf(object), stored, generation: this.generation });
    this.emit({ type: 'add', key, stored, object, origin });
  }

  private update(entry: CacheEntry<S>, object: T): void {
    const previous = entry.stored;
    entry.generation = this.generation;
    this.cache.update(entry, this.project(object, entry.key), packedVersionOf(object));
    this.emit({ type: 'update', key: entry.key, stored: entry.stored, previous, object });
  }

  private drop(entry: CacheEntry<S>, object: T | undefined, version: PackedVersion): void {
    this.cache.delete(entry);
    this.bury(entry.uid, version);
    this.emit({ type: 'delete', key: entry.key, stored: entry.stored, object });
  }

  private bury(uid: PackedUid, version: PackedVersion): void {
    this.tombstones.delete(uid);
    this.tombstones.set(uid, version);
    if (this.tombstones.size > maxTombstones) this.tombstones.delete(this.tombstones.keys().next().value as PackedUid);
  }

  /** Never back: a replayed bookmark must not make the next watch repeat history. */
  private advance(version: string): void {
    if (version === '') return;
    const order = this.resourceVersion === undefined ? 1 : compareResourceVersions(version, this.resourceVersion);
    if (order === undefined || order > 0) this.resourceVersion = version;
  }
}

/** `namespace/name`, or only the name for cluster-scoped objects. */
export function objectKey({ metadata }: KubeObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '');
}

/** The few servers that set no uid identify an object by its name alone. */
const identityOf = (object: KubeObject, key: string): PackedUid => packUid(object.metadata.uid ?? key);

const packedVersionOf = (object: KubeObject): PackedVersion => packVersion(versionOf(object));
const versionOf = (object: KubeObject): string => object.metadata.resourceVersion ?? '';
