import {
  createKubeClient,
  type KubeClientOptions,
  type KubeConnection,
  loadClusterConfig,
} from '../../src/kube/index.ts';
import type { Cluster } from '../support/real-cluster.ts';

/** The program's own client of a cluster, straight or through another port of this machine. */
export async function connectTo(
  { kubeconfigPath }: Pick<Cluster, 'kubeconfigPath'>,
  options: KubeClientOptions & { readonly port?: number } = {},
): Promise<KubeConnection> {
  const { port, ...clientOptions } = options;
  const config = await loadClusterConfig({ env: {}, path: kubeconfigPath });
  const server = port === undefined ? config.server : `https://127.0.0.1:${port}`;
  return createKubeClient({ ...config, server }, clientOptions);
}

const builtin = (group: string, resource: string, kind: string, namespaced = true) => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced,
});

export const configMaps = builtin('', 'configmaps', 'ConfigMap');
export const namespaces = builtin('', 'namespaces', 'Namespace', false);
export const events = builtin('', 'events', 'Event');
export const leases = builtin('coordination.k8s.io', 'leases', 'Lease');
export const deployments = builtin('apps', 'deployments', 'Deployment');
