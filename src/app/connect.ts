import { errorMessage, type Logger, SupercargoError } from '../base/index.ts';
import {
  createDiscovery,
  createKubeClient,
  type Discovery,
  type Environment,
  type KubeConnection,
  loadClusterConfig,
} from '../kube/index.ts';

export interface ConnectionOrigin {
  readonly env: Environment;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface ConnectOptions extends ConnectionOrigin {
  readonly log: Logger;
}

export interface Connection {
  /** The settings of the connection, for a thread that opens its own. */
  readonly origin: ConnectionOrigin;
  readonly client: KubeConnection;
  readonly discovery: Discovery;
  /** `v1.36.3`, as reported by the server. */
  readonly version: string;
}

/** Connects to the cluster of the kubeconfig, or in a pod to its own cluster, and checks that it responds. */
export async function connect({ log, ...origin }: ConnectOptions): Promise<Connection> {
  const { env, kubeconfig, context } = origin;
  const config = await loadClusterConfig({ env, path: kubeconfig, context });
  const client = createKubeClient(config, { log });
  try {
    const response = await client.raw('/version');
    const { gitVersion = 'unknown' } = response.value as { readonly gitVersion?: string };
    return { origin, client, discovery: createDiscovery({ source: client, log }), version: gitVersion };
  } catch (thrown) {
    await client.close();
    if (!(thrown instanceof SupercargoError)) throw thrown;
    throw new SupercargoError(
      'cluster-unreachable',
      `cannot reach the cluster ${config.name} at ${config.server}: ${errorMessage(thrown)}`,
      { cause: thrown },
    );
  }
}
