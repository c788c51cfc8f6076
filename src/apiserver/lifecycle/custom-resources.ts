import { errorMessage, type Logger } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { crdFinalizer, definitionsOf } from '../kinds/crd.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { isStatusError } from '../status.ts';
import type { Change, Described, Store } from '../store/index.ts';
import { createTaskQueue } from './task-queue.ts';

export const crdStorage = 'apiextensions.k8s.io/customresourcedefinitions';

interface CustomResourceEnvironment {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly remove: (definition: ResourceDefinition, object: Described) => Promise<void>;
  readonly updateCrd: (crd: KubeObject) => Promise<void>;
}

/** Serves the kinds of CRDs, and deletes a kind's objects before its CRD is removed. */
export class CustomResources {
  private readonly queue = createTaskQueue((error) =>
    this.environment.log.warn('removing custom resources failed', { error: errorMessage(error) }),
  );

  constructor(private readonly environment: CustomResourceEnvironment) {}

  start(): void {
    for (const { entry } of this.environment.store.collection(crdStorage).keyed()) this.establish(entry.object);
  }

  observe(definition: ResourceDefinition, { type, entry }: Change): void {
    if (definition.storage === crdStorage) {
      if (type === 'DELETED') this.environment.catalog.setCustom(entry.metadata.name!, []);
      else this.establish(entry.object);
    } else if (definition.custom && type === 'DELETED') {
      const crd = this.environment.store.collection(crdStorage).get(`${definition.resource}.${definition.group}`);
      if (crd) this.lookAt(crd);
    }
  }

  settle(): Promise<void> {
    return this.queue.settle();
  }

  private establish(crd: KubeObject): void {
    this.environment.catalog.setCustom(crd.metadata.name!, definitionsOf(crd));
    this.lookAt(crd);
  }

  private lookAt({ metadata: { name, deletionTimestamp, finalizers = [] } }: Described): void {
    if (deletionTimestamp !== undefined && finalizers.includes(crdFinalizer))
      this.queue.add(name!, () => this.empty(name!));
  }

  private async empty(name: string): Promise<void> {
    const crd = this.environment.store.collection(crdStorage).get(name)?.object;
    if (!crd) return;
    const definition = definitionsOf(crd)[0];
    if (definition) {
      const collection = this.environment.store.collection(definition.storage);
      for (const entry of collection.entries('')) {
        if (entry.metadata.deletionTimestamp === undefined)
          await this.quietly(this.environment.remove(definition, entry));
      }
      if (collection.size > 0) return;
    }
    const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== crdFinalizer);
    await this.quietly(this.environment.updateCrd({ ...crd, metadata: { ...crd.metadata, finalizers } }));
  }

  private async quietly(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (thrown) {
      if (!isStatusError(thrown, 404) && !isStatusError(thrown, 409)) throw thrown;
    }
  }
}
