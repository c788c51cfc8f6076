import type { KubeObject } from '../../object/index.ts';
import type { InternalClient } from '../internal-client.ts';
import type { Core } from '../operations/core.ts';
import { writeDirectly } from '../operations/internal.ts';
import { isReleased } from '../operations/update.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import type { Change, Described } from '../store/index.ts';
import { CustomResources } from './custom-resources.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { NamespaceLifecycle } from './namespaces.ts';
import { PolicyStatus, policyStorage } from './policy-status.ts';

/** What the server does by itself after a change: garbage collection, namespace clean-up, serving CRDs, types of policies. */
export class Lifecycle {
  private readonly collector: GarbageCollector;
  private readonly namespaces: NamespaceLifecycle;
  private readonly customResources: CustomResources;
  private readonly policyStatus: PolicyStatus;

  constructor(core: Core, client: InternalClient) {
    const { store, log, catalog } = core;
    const remove = (
      definition: ResourceDefinition,
      object: Described,
      propagationPolicy?: 'Background' | 'Foreground',
    ) =>
      client.delete(definition, object.metadata.namespace ?? '', object.metadata.name!, {
        uid: object.metadata.uid!,
        ...(propagationPolicy ? { propagationPolicy } : {}),
      });
    const write = async (definition: ResourceDefinition, object: KubeObject) =>
      writeDirectly(core, definition, object, isReleased);
    const storedDefinitions = () => catalog.stored();
    this.collector = new GarbageCollector({
      store,
      log,
      storedDefinitions,
      findStored: (storage) => catalog.findStored(storage),
      findKind: (gvk) => catalog.findKind(gvk),
      remove,
      update: write,
    });
    this.namespaces = new NamespaceLifecycle({
      store,
      log,
      now: () => core.clock.now(),
      storedDefinitions,
      remove,
      finalize: (namespace) => write(catalog.findStored('/namespaces')!, namespace),
    });
    this.customResources = new CustomResources({
      store,
      log,
      catalog,
      remove,
      updateCrd: (crd) => write(catalog.findStored('apiextensions.k8s.io/customresourcedefinitions')!, crd),
    });
    this.policyStatus = new PolicyStatus({
      store,
      log,
      catalog,
      update: (policy) => write(catalog.findStored(policyStorage)!, policy),
    });
  }

  /** Processes the stored objects. CRDs first: the others must know every kind. */
  start(): void {
    this.customResources.start();
    this.collector.start();
    this.namespaces.start();
    this.policyStatus.start();
  }

  observe(definition: ResourceDefinition, change: Change): void {
    this.customResources.observe(definition, change);
    this.collector.observe(definition, change);
    this.namespaces.observe(definition, change);
    this.policyStatus.observe(definition, change);
  }

  async settle(): Promise<void> {
    const parts = [this.customResources, this.collector, this.namespaces, this.policyStatus];
    await Promise.all(parts.map((part) => part.settle()));
  }
}
