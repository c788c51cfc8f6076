import { errorMessage, type Logger } from '../../base/index.ts';
import { type KubeObject, type OwnerReference, parseApiVersion } from '../../object/index.ts';
import { foregroundFinalizer, orphanFinalizer } from '../operations/delete.ts';
import { type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { isStatusError } from '../status.ts';
import type { Change, Described, Store } from '../store/index.ts';
import { createTaskQueue } from './task-queue.ts';

interface CollectorEnvironment {
  readonly store: Store;
  readonly log: Logger;
  readonly storedDefinitions: () => Iterable<ResourceDefinition>;
  readonly findStored: (storage: string) => ResourceDefinition | undefined;
  readonly findKind: (gvk: { group: string; version: string; kind: string }) => ResourceDefinition | undefined;
  readonly remove: (
    definition: ResourceDefinition,
    object: Described,
    propagationPolicy: 'Background' | 'Foreground',
  ) => Promise<void>;
  readonly update: (definition: ResourceDefinition, object: KubeObject) => Promise<void>;
}

interface Dependent {
  readonly storage: string;
  readonly key: string;
}

/**
 * Deletes objects whose owners are gone, and performs foreground and orphan deletion. Every operation is idempotent: a
 * key is processed again after each change that affects it.
 */
export class GarbageCollector {
  /** Owner uid → its dependents. */
  private readonly dependents = new Map<string, Map<string, Dependent>>();
  private readonly queue = createTaskQueue((error) =>
    this.environment.log.warn('garbage collection failed', { error: errorMessage(error) }),
  );

  constructor(private readonly environment: CollectorEnvironment) {}

  /** Indexes the stored objects; called once, before the first change is observed. */
  start(): void {
    for (const definition of this.environment.storedDefinitions()) {
      for (const { key, entry } of this.environment.store.collection(definition.storage).keyed()) {
        this.index(definition, key, undefined, entry);
        this.lookAt(definition, key, entry);
      }
    }
  }

  observe(definition: ResourceDefinition, change: Change): void {
    const { key, previous, entry, type } = change;
    const now = type === 'DELETED' ? undefined : entry;
    this.index(definition, key, previous, now);
    if (now) this.lookAt(definition, key, now);
    else this.ownerGone(entry);
    // A removed dependent may be the last one that a foreground deletion waited for.
    for (const owner of previous?.metadata.ownerReferences ?? []) if (!now) this.lookAtOwner(owner, entry);
  }

  /** Resolves when the queue is idle. */
  settle(): Promise<void> {
    return this.queue.settle();
  }

  private index(
    definition: ResourceDefinition,
    key: string,
    before: Described | undefined,
    after: Described | undefined,
  ): void {
    const { storage } = definition;
    const id = `${storage} ${key}`;
    for (const { uid } of before?.metadata.ownerReferences ?? []) {
      const known = this.dependents.get(uid);
      known?.delete(id);
      if (known?.size === 0) this.dependents.delete(uid);
    }
    for (const { uid } of after?.metadata.ownerReferences ?? []) {
      let known = this.dependents.get(uid);
      if (!known) this.dependents.set(uid, (known = new Map()));
      known.set(id, { storage, key });
    }
  }

  private lookAt(definition: ResourceDefinition, key: string, object: Described): void {
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
    if (
      deletionTimestamp !== undefined &&
      (finalizers.includes(foregroundFinalizer) || finalizers.includes(orphanFinalizer))
    ) {
      this.queue.add(`owner ${definition.storage} ${key}`, () => this.finishOwner(definition, key));
    }
    if (ownerReferences.length > 0)
      this.queue.add(`dependent ${definition.storage} ${key}`, () => this.checkDependent(definition, key));
  }

  private ownerGone(owner: Described): void {
    for (const dependent of this.dependents.get(owner.metadata.uid!)?.values() ?? []) {
      this.withDefinition(dependent, (definition) =>
        this.queue.add(`dependent ${definition.storage} ${dependent.key}`, () =>
          this.checkDependent(definition, dependent.key),
        ),
      );
    }
  }

  private lookAtOwner(reference: OwnerReference, dependent: Described): void {
    const definition = this.environment.findKind({ ...parseApiVersion(reference.apiVersion), kind: reference.kind });
    const owner = this.ownerOf(reference, dependent);
    if (definition && owner)
      this.lookAt(definition, storageKey(owner.metadata.namespace ?? '', owner.metadata.name!), owner);
  }

  /** Deletes a dependent without any existing owner, or drops its references to missing owners. */
  private async checkDependent(definition: ResourceDefinition, key: string): Promise<void> {
    const entry = this.environment.store.collection(definition.storage).get(key);
    if (!entry || entry.metadata.deletionTimestamp !== undefined) return;
    const references = entry.metadata.ownerReferences ?? [];
    const owners = references.map((reference) => ({ reference, owner: this.ownerOf(reference, entry) }));
    const solid = owners.filter(({ owner }) => owner !== undefined && !isWaiting(owner));
    if (solid.length === owners.length) return;
    if (solid.length === 0) {
      const isForeground = owners.some(({ owner }) => owner !== undefined);
      return this.ignoreGone(this.environment.remove(definition, entry, isForeground ? 'Foreground' : 'Background'));
    }
    const { object } = entry;
    const ownerReferences = solid.map(({ reference }) => reference);
    await this.ignoreGone(
      this.environment.update(definition, { ...object, metadata: { ...object.metadata, ownerReferences } }),
    );
  }

  private async finishOwner(definition: ResourceDefinition, key: string): Promise<void> {
    const object = this.environment.store.collection(definition.storage).get(key)?.object;
    if (!object?.metadata.deletionTimestamp) return;
    const finalizers = object.metadata.finalizers ?? [];
    const dependents = [...(this.dependents.get(object.metadata.uid!)?.values() ?? [])];
    if (finalizers.includes(orphanFinalizer)) {
      for (const dependent of dependents)
        await this.withDefinition(dependent, (d) => this.orphan(d, dependent.key, object));
      return this.dropFinalizer(definition, object, orphanFinalizer);
    }
    if (!finalizers.includes(foregroundFinalizer)) return;
    const blocking = dependents.filter((dependent) => this.blocks(dependent, object.metadata.uid!));
    if (blocking.length === 0) return this.dropFinalizer(definition, object, foregroundFinalizer);
    for (const dependent of dependents)
      await this.withDefinition(dependent, (d) => this.checkDependent(d, dependent.key));
  }

  private blocks({ storage, key }: Dependent, ownerUid: string): boolean {
    const entry = this.environment.store.collection(storage).get(key);
    return (
      entry?.metadata.ownerReferences?.some(
        ({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true,
      ) ?? false
    );
  }

  private async orphan(definition: ResourceDefinition, key: string, owner: KubeObject): Promise<void> {
    const object = this.environment.store.collection(definition.storage).get(key)?.object;
    if (!object) return;
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
    const { ownerReferences: _, ...metadata } = object.metadata;
    const next = ownerReferences.length > 0 ? { ...metadata, ownerReferences } : metadata;
    await this.ignoreGone(this.environment.update(definition, { ...object, metadata: next }));
  }

  private dropFinalizer(definition: ResourceDefinition, object: KubeObject, finalizer: string): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((present) => present !== finalizer);
    return this.ignoreGone(
      this.environment.update(definition, { ...object, metadata: { ...object.metadata, finalizers } }),
    );
  }

  private ownerOf(reference: OwnerReference, dependent: Described): Described | undefined {
    const definition = this.environment.findKind({ ...parseApiVersion(reference.apiVersion), kind: reference.kind });
    if (!definition) return undefined;
    const namespace = definition.namespaced ? (dependent.metadata.namespace ?? '') : '';
    const owner = this.environment.store.collection(definition.storage).get(storageKey(namespace, reference.name));
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  }

  private withDefinition<T>(dependent: Dependent, use: (definition: ResourceDefinition) => T): T | undefined {
    const definition = this.environment.findStored(dependent.storage);
    return definition && use(definition);
  }

  /** Another writer changed or removed it first: the change that follows enqueues the key again. */
  private async ignoreGone(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (thrown) {
      if (!isStatusError(thrown, 404) && !isStatusError(thrown, 409)) throw thrown;
    }
  }
}

/** An owner in foreground deletion does not count as an owner: its dependents are deleted first. */
function isWaiting({ metadata: { deletionTimestamp, finalizers = [] } }: Described): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer);
}
