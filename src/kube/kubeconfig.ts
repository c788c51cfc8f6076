import { join } from 'node:path';
import { type Clock, errorCode, isJsonObject, systemClock } from '../base/index.ts';
import type { ClusterConfig, ClusterTls, Environment } from './cluster-config.ts';
import { anonymous, KubeConfigError, readCredentialFile } from './credentials.ts';
import { loadInClusterConfig } from './in-cluster.ts';
import {
  type Entry,
  entryData,
  entryPath,
  entryText,
  type KubeconfigFile,
  mergeKubeconfigs,
  parseKubeconfigText,
} from './kubeconfig-file.ts';
import { credentialsOf, impersonationOf } from './kubeconfig-user.ts';

interface KubeconfigOptions {
  /** One file that must exist. */
  readonly path?: string | undefined;
  /** The contents, when already loaded; relative paths in them start from the working directory. */
  readonly text?: string | undefined;
  /** Instead of `current-context`. */
  readonly context?: string | undefined;
  /** `KUBECONFIG`, `HOME`, and the environment of an exec plugin. */
  readonly env: Environment;
  readonly clock?: Clock;
  /** Whether a credential plugin may be interactive through standard input. */
  readonly hasTerminal?: boolean;
  /** Where `loadClusterConfig` looks for a pod's service account. */
  readonly serviceAccountFolder?: string;
}

/**
 * The cluster of a kubeconfig: of `text`, else of `path`, else of the files that KUBECONFIG lists (missing ones are
 * skipped), else of ~/.kube/config.
 */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const files = await readKubeconfigs(options);
  if (files.length === 0) {
    throw new KubeConfigError(
      'kube-config-missing',
      `no kubeconfig found (looked at ${kubeconfigPaths(options.env).join(', ') || 'nothing: HOME is not set'}); name one with KUBECONFIG`,
    );
  }
  return await clusterConfigOf(mergeKubeconfigs(files), options);
}

/** A kubeconfig where there is one, else the pod's own service account, as programs in a cluster expect. */
export async function loadClusterConfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const isNamed = options.path !== undefined || options.text !== undefined || options.context !== undefined;
  if (!isNamed && options.env['KUBERNETES_SERVICE_HOST'] && (await readKubeconfigs(options)).length === 0) {
    const folder = options.serviceAccountFolder;
    return await loadInClusterConfig({ env: options.env, clock: options.clock, ...(folder ? { folder } : {}) });
  }
  return await loadKubeconfig(options);
}

function kubeconfigPaths(env: Environment): string[] {
  const listed = (env['KUBECONFIG'] ?? '')
    .split(process.platform === 'win32' ? ';' : ':')
    .filter((path) => path !== '');
  if (listed.length > 0) return listed;
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home ? [join(home, '.kube', 'config')] : [];
}

async function readKubeconfigs(options: KubeconfigOptions): Promise<KubeconfigFile[]> {
  if (options.text !== undefined) return [parseKubeconfigText(options.text, 'the given kubeconfig')];
  if (options.path !== undefined) return [parseKubeconfigText(await readCredentialFile(options.path), options.path)];
  const files: KubeconfigFile[] = [];
  for (const path of kubeconfigPaths(options.env)) {
    try {
      files.push(parseKubeconfigText(await readCredentialFile(path), path));
    } catch (thrown) {
      const isMissing = thrown instanceof KubeConfigError && errorCode(thrown.cause) === 'ENOENT';
      if (!isMissing) throw thrown;
    }
  }
  return files;
}

async function clusterConfigOf(file: KubeconfigFile, options: KubeconfigOptions): Promise<ClusterConfig> {
  const name = options.context ?? file.currentContext;
  if (name === '') {
    const names = [...file.contexts.keys()].join(', ') || 'none';
    throw new KubeConfigError('kube-config-no-context', `the kubeconfig sets no current-context; it has: ${names}`);
  }
  const context = pick(file.contexts, name, 'context');
  const cluster = pick(file.clusters, entryText(context, 'cluster') ?? '', 'cluster');
  const userName = entryText(context, 'user');
  const user = userName === undefined ? undefined : pick(file.users, userName, 'user');
  const server = serverOf(cluster);
  const tls = await tlsOf(cluster);
  return {
    name,
    server,
    tls,
    namespace: entryText(context, 'namespace') ?? 'default',
    proxyUrl: proxyOf(cluster),
    headers: user === undefined ? undefined : impersonationOf(user),
    credentials:
      user === undefined
        ? anonymous
        : credentialsOf(user, {
            env: options.env,
            clock: options.clock ?? systemClock,
            hasTerminal: options.hasTerminal ?? false,
            cluster: execClusterInfo(cluster, server, tls),
          }),
  };
}

function pick(entries: ReadonlyMap<string, Entry>, name: string, what: string): Entry {
  const entry = entries.get(name);
  if (entry) return entry;
  const known = [...entries.keys()].join(', ') || 'none';
  throw new KubeConfigError('kube-config-no-context', `the kubeconfig has no ${what} "${name}"; it has: ${known}`);
}

function serverOf(cluster: Entry): string {
  const server = entryText(cluster, 'server') ?? '';
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new KubeConfigError('kube-config-invalid', `the cluster's server "${server}" is not an http(s) address`);
  }
  return server.replace(/\/+$/, '');
}

async function tlsOf(cluster: Entry): Promise<ClusterTls> {
  const file = entryPath(cluster, 'certificate-authority');
  const ca = entryData(cluster, 'certificate-authority-data') ?? (file && (await readCredentialFile(file)));
  const insecureSkipVerify = cluster.value['insecure-skip-tls-verify'] === true;
  if (ca && insecureSkipVerify) {
    throw new KubeConfigError(
      'kube-config-invalid',
      'the cluster has both certificate-authority and insecure-skip-tls-verify; remove one',
    );
  }
  return { ca: ca || undefined, insecureSkipVerify, serverName: entryText(cluster, 'tls-server-name') };
}

function proxyOf(cluster: Entry): string | undefined {
  const proxy = entryText(cluster, 'proxy-url');
  if (proxy !== undefined && !/^https?:\/\//.test(proxy)) {
    // Not quoted: it may contain a password.
    throw new KubeConfigError('kube-config-unsupported', 'proxy-url: only http and https proxies are supported');
  }
  return proxy;
}

function execClusterInfo(cluster: Entry, server: string, tls: ClusterTls): Readonly<Record<string, unknown>> {
  const extensions = cluster.value['extensions'];
  const own = (Array.isArray(extensions) ? extensions : [])
    .filter(isJsonObject)
    .find((extension) => extension['name'] === 'client.authentication.k8s.io/exec');
  return {
    server,
    ...(tls.serverName ? { 'tls-server-name': tls.serverName } : {}),
    ...(tls.insecureSkipVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tls.ca ? { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') } : {}),
    ...(own ? { config: own['extension'] ?? null } : {}),
  };
}
