import { type Clock, SupercargoError } from '../base/index.ts';
import type { KubeClient, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { keyOf } from './install-objects.ts';

class WaitError extends SupercargoError {}

interface WaitOptions {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly timeoutMs: number;
  readonly onReady: (name: string) => void;
}

const deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const pollMs = 250;

/** Resolves when every pod of the Deployments is of their present template and available. */
export async function waitForDeployments(objects: readonly KubeObject[], options: WaitOptions): Promise<void> {
  const { client, clock, timeoutMs, onReady } = options;
  const endMs = clock.monotonicMs() + timeoutMs;
  for (const object of objects.filter(({ kind }) => kind === 'Deployment'))
    for (;;) {
      const missing = whatIsMissing(await client.get<KubeObject>(deployments, keyOf(object)));
      if (missing === undefined) {
        onReady(object.metadata.name!);
        break;
      }
      if (clock.monotonicMs() >= endMs)
        throw new WaitError(
          'install-not-ready',
          `deployment/${object.metadata.name} is not ready: ${missing}; kubectl -n ${object.metadata.namespace} describe pods says why`,
        );
      await clock.sleep(pollMs);
    }
}

export function whatIsMissing({ metadata, spec, status }: KubeObject): string | undefined {
  const { replicas = 1 } = (spec ?? {}) as { readonly replicas?: number };
  const {
    observedGeneration = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
    replicas: all = 0,
  } = (status ?? {}) as Readonly<Record<string, number>>;
  if (observedGeneration < ((metadata as { readonly generation?: number }).generation ?? 0))
    return 'the controller manager has not seen it';
  if (updatedReplicas < replicas) return `${updatedReplicas} of ${replicas} pods are up to date`;
  if (all > updatedReplicas) return `${all - updatedReplicas} old pods are still there`;
  return availableReplicas < replicas ? `${availableReplicas} of ${replicas} pods are available` : undefined;
}
