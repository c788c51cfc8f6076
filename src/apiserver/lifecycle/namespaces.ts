import { errorMessage, type Logger, rfc3339 } from '../../base/index.ts';
import { type Condition, deepEqual, findCondition, type KubeObject } from '../../object/index.ts';
import { namespaceFinalizer } from '../kinds/namespace.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { isStatusError } from '../status.ts';
import type { Change, Described, Store } from '../store/index.ts';
import { createTaskQueue } from './task-queue.ts';

interface NamespaceEnvironment {
  readonly store: Store;
  readonly log: Logger;
  readonly now: () => number;
  readonly storedDefinitions: () => Iterable<ResourceDefinition>;
  readonly remove: (definition: ResourceDefinition, object: Described) => Promise<void>;
  /** Writes the namespace; without finalizers it is removed. */
  readonly finalize: (namespace: KubeObject) => Promise<void>;
}

/** Deletes the content of a terminating namespace, then its finalizer. */
export class NamespaceLifecycle {
  private readonly queue = createTaskQueue((error) =>
    this.environment.log.warn('emptying a namespace failed', { error: errorMessage(error) }),
  );

  constructor(private readonly environment: NamespaceEnvironment) {}

  start(): void {
    for (const { entry } of this.environment.store.collection('/namespaces').keyed()) this.lookAt(entry);
  }

  observe(definition: ResourceDefinition, { type, entry }: Change): void {
    if (definition.storage === '/namespaces') {
      if (type !== 'DELETED') this.lookAt(entry);
    } else if (type === 'DELETED' && entry.metadata.namespace !== undefined) {
      const namespace = this.environment.store.collection('/namespaces').get(entry.metadata.namespace);
      if (namespace) this.lookAt(namespace);
    }
  }

  settle(): Promise<void> {
    return this.queue.settle();
  }

  private lookAt({ metadata: { name, deletionTimestamp } }: Described): void {
    if (deletionTimestamp !== undefined) this.queue.add(name!, () => this.empty(name!));
  }

  private async empty(name: string): Promise<void> {
    let left = 0;
    for (const definition of this.environment.storedDefinitions()) {
      if (!definition.namespaced) continue;
      for (const entry of this.environment.store.collection(definition.storage).entries(`${name}/`)) {
        if (entry.metadata.deletionTimestamp === undefined) await this.removeQuietly(definition, entry);
      }
      left += this.environment.store.collection(definition.storage).entries(`${name}/`).length;
    }
    const namespace = this.environment.store.collection('/namespaces').get(name)?.object;
    if (!namespace) return undefined;
    if (left > 0) return this.reportRemaining(namespace, left);
    const spec = namespace['spec'] as { readonly finalizers?: readonly string[] } | undefined;
    // Other controllers remove their own finalizers; ours is removed once.
    if (!spec?.finalizers?.includes(namespaceFinalizer)) return undefined;
    const finalizers = spec.finalizers.filter((finalizer) => finalizer !== namespaceFinalizer);
    await this.environment.finalize({ ...namespace, spec: { ...spec, finalizers } });
  }

  /** Reports objects that finalizers keep, in the conditions of the namespace. */
  private async reportRemaining(namespace: KubeObject, left: number): Promise<void> {
    const status = namespace['status'] as { readonly conditions?: readonly Condition[] } | undefined;
    const now = rfc3339(this.environment.now());
    const condition = (type: string, value: 'True' | 'False', reason: string, message: string): Condition => {
      const before = findCondition(status?.conditions, type);
      const lastTransitionTime = before?.status === value ? before.lastTransitionTime : now;
      return { type, status: value, lastTransitionTime, reason, message };
    };
    const conditions = [
      condition(
        'NamespaceDeletionDiscoveryFailure',
        'False',
        'ResourcesDiscovered',
        'All resources successfully discovered',
      ),
      condition(
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All group versions were read',
      ),
      condition('NamespaceDeletionContentFailure', 'False', 'ContentDeleted', 'All content that can go is deleted'),
      condition('NamespaceContentRemaining', 'True', 'SomeResourcesRemain', `${left} objects remain`),
      condition('NamespaceFinalizersRemaining', 'True', 'SomeFinalizersRemain', 'Objects with finalizers remain'),
    ];
    if (deepEqual(status?.conditions, conditions)) return;
    await this.environment.finalize({ ...namespace, status: { ...status, conditions } });
  }

  private async removeQuietly(definition: ResourceDefinition, object: Described): Promise<void> {
    try {
      await this.environment.remove(definition, object);
    } catch (thrown) {
      // A missing object is the wanted state. A webhook's denial is retried with the namespace's next change.
      if (!isStatusError(thrown, 404)) throw thrown;
    }
  }
}
