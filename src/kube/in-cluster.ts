import { join } from 'node:path';
import { type Clock, systemClock } from '../base/index.ts';
import type { ClusterConfig, Environment } from './cluster-config.ts';
import { fileCredentials, KubeConfigError, readCredentialFile } from './credentials.ts';

interface InClusterOptions {
  readonly env: Environment;
  readonly clock?: Clock | undefined;
  /** Where the service account is mounted. */
  readonly folder?: string;
}

/** The API server from inside a pod: the mounted service account's token (re-read, because it rotates) and CA. */
export async function loadInClusterConfig(options: InClusterOptions): Promise<ClusterConfig> {
  const { env, clock = systemClock, folder = '/var/run/secrets/kubernetes.io/serviceaccount' } = options;
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new KubeConfigError(
      'kube-config-missing',
      'not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
    );
  }
  const [ca, namespace] = await Promise.all([
    readCredentialFile(join(folder, 'ca.crt')),
    readCredentialFile(join(folder, 'namespace')).catch(() => 'default'),
  ]);
  return {
    name: 'in-cluster',
    isInPod: true,
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca },
    namespace: namespace.trim() || 'default',
    credentials: fileCredentials({ clock, tokenFile: join(folder, 'token') }),
  };
}
