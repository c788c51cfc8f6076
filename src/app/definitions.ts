import { customResourceDefinitions, ownerLabel } from '../api/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';

export const crds: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

interface DefinitionAction {
  readonly name: string;
  readonly action: 'created' | 'changed' | 'unchanged' | 'kept';
}

/**
 * Installs our custom resource definitions. A definition that is not ours (Kyverno's own, or another installation's) is
 * kept as it is.
 */
export function applyDefinitions(client: KubeClient, installation: string): Promise<readonly DefinitionAction[]> {
  return Promise.all(
    customResourceDefinitions(installation).map((definition) => applyOne(client, definition, installation)),
  );
}

async function applyOne(client: KubeClient, definition: KubeObject, installation: string): Promise<DefinitionAction> {
  const name = definition.metadata.name!;
  for (;;) {
    const present = await client.get<KubeObject>(crds, { name }).catch((thrown) => {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    });
    try {
      if (!present) {
        await client.create(crds, definition);
        return { name, action: 'created' };
      }
      if (present.metadata.labels?.[ownerLabel] !== installation) return { name, action: 'kept' };
      const spec = { ...(present['spec'] as object), ...(definition['spec'] as object) };
      if (deepEqual(spec, present['spec'])) return { name, action: 'unchanged' };
      await client.replace(crds, { ...present, spec });
      return { name, action: 'changed' };
    } catch (thrown) {
      // Conflict of two starts: read the state again.
      if (!isKubeError(thrown, 'kube-already-exists') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
    }
  }
}

/** Resolves when the API server serves all of them. */
export async function definitionsServed(
  client: KubeClient,
  { signal, pause }: { readonly signal: AbortSignal; readonly pause: (signal: AbortSignal) => Promise<void> },
): Promise<void> {
  const names = customResourceDefinitions('').map(({ metadata }) => metadata.name);
  for (;;) {
    const { items } = await client.list<KubeObject>(crds, { signal });
    const established = new Set(items.filter(isEstablished).map(({ metadata }) => metadata.name));
    if (names.every((name) => established.has(name))) return;
    await pause(signal);
  }
}

export function isEstablished(crd: KubeObject): boolean {
  // A new definition has `conditions: null`.
  const { conditions } = (crd['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
  };
  return (conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');
}
