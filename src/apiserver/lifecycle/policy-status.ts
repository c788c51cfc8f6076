import { errorMessage, type Logger } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { expressionWarnings } from '../expressions/index.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import type { Change, Store } from '../store/index.ts';
import { createTaskQueue } from './task-queue.ts';

interface PolicyStatusEnvironment {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly update: (policy: KubeObject) => Promise<void>;
}

export const policyStorage = 'admissionregistration.k8s.io/validatingadmissionpolicies';

/** Tells in the status of a ValidatingAdmissionPolicy what its expressions get wrong about the kinds that it names. */
export class PolicyStatus {
  private readonly queue = createTaskQueue((error) =>
    this.environment.log.warn('checking the types of a policy failed', { error: errorMessage(error) }),
  );

  constructor(private readonly environment: PolicyStatusEnvironment) {}

  start(): void {
    for (const { key } of this.environment.store.collection(policyStorage).keyed()) this.lookAt(key);
  }

  observe(definition: ResourceDefinition, { type, entry }: Change): void {
    if (definition.storage === policyStorage && type !== 'DELETED') this.lookAt(entry.metadata.name!);
  }

  settle(): Promise<void> {
    return this.queue.settle();
  }

  private lookAt(name: string): void {
    this.queue.add(name, async () => this.check(name));
  }

  private async check(name: string): Promise<void> {
    const { store, catalog, update } = this.environment;
    const policy = store.collection(policyStorage).get(name)?.object;
    if (!policy) return;
    const { generation = 0 } = policy.metadata;
    const status = (policy['status'] ?? {}) as { readonly observedGeneration?: number };
    if (generation <= (status.observedGeneration ?? 0)) return;
    const warnings = expressionWarnings(policy, {
      findResource: (group, version, resource) => catalog.find({ group, version, resource }),
      findKind: (kind) => catalog.findKind(kind),
    });
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
    await update({ ...policy, status: { ...status, observedGeneration: generation, typeChecking } } as KubeObject);
  }
}
