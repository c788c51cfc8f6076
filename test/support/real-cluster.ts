import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { type Child, freePorts, startChild } from './child.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { skipReason } from './skip.ts';
import { eventually } from './wait.ts';

/** How a test reaches an API server as its administrator, and how it ends it. */
export interface Cluster {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  readonly kubeconfigPath: string;
  /** Makes the server forget what was before a version. */
  forgetHistory?(before: number): Promise<void>;
  stop(): Promise<void>;
}

export interface RealCluster extends Cluster {
  readonly caFile: string;
  /** Holds data, logs and keys; gone after `stop`. */
  readonly directory: string;
  readonly pids: { readonly etcd: number; readonly apiserver: number };
}

export interface RealClusterOptions {
  /** Starts kube-controller-manager too: garbage collection, namespace deletion, workload controllers, default accounts. */
  readonly controllerManager?: boolean;
  /**
   * Serves on this address instead of loopback, for a node: the server calls webhooks by their endpoints, kube-scheduler
   * runs too, and the service `kubernetes` leads to the server.
   */
  readonly address?: string;
}

const startTimeoutMs = 90_000;

/** Why this machine has no control plane, or not these programs of it; undefined where it has. */
export async function whyNoCluster(...programs: readonly string[]): Promise<string | undefined> {
  try {
    const assets = await resolveAssets({ build: false });
    const absent = programs.filter((name) => !existsSync(path.join(assets, name)));
    const reason = absent.length === 0 ? undefined : `${assets} has no ${absent.join(', ')}`;
    return skipReason('tests on a real cluster', reason);
  } catch (thrown) {
    if (!(thrown instanceof AssetsUnavailable)) throw thrown;
    return skipReason('tests on a real cluster', thrown.message);
  }
}

/** Starts etcd, kube-apiserver and, if asked, kube-controller-manager on loopback ports, and waits until they are ready. */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const assets = await resolveAssets();
  if (options.controllerManager && !existsSync(path.join(assets, 'kube-controller-manager')))
    throw new Error(`${assets} has no kube-controller-manager`);
  const directory = mkdtempSync(path.join(tmpdir(), 'supercargo-cluster-'));
  const children: Child[] = [];
  const stop = async () => {
    for (const child of children.splice(0).reverse()) await child.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const start = (name: string, args: readonly string[]) => {
    const child = startChild(name, path.join(assets, name), args, path.join(directory, `${name}.log`));
    children.push(child);
    return child;
  };
  try {
    const [etcdClient, etcdPeer, port] = (await freePorts(3)) as [number, number, number];
    const token = randomBytes(24).toString('base64url');
    const keys = writeKeys(directory, token);
    const etcd = start('etcd', etcdArguments(directory, etcdClient, etcdPeer));
    const apiserver = start('kube-apiserver', [
      ...apiserverArguments(directory, etcdClient, port, keys),
      ...addressArguments(options.address),
      // Without controllers nobody makes the accounts this plugin would demand of every pod.
      ...(options.controllerManager ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ]);
    const url = `https://${options.address ?? '127.0.0.1'}:${port}`;
    const caFile = path.join(directory, 'apiserver.crt');
    const caPem = await untilReady(url, caFile, token, [etcd, apiserver]);
    const kubeconfigPath = path.join(directory, 'kubeconfig');
    writeFileSync(kubeconfigPath, kubeconfig(url, caPem, token), { mode: 0o600 });

    const client = createHttpClient({ url, caPem, token });
    try {
      if (options.controllerManager) {
        const manager = start(
          'kube-controller-manager',
          controllerManagerArguments(kubeconfigPath, keys.signing, caFile),
        );
        await untilAccountsExist(client, manager);
      } else await createDefaultAccount(client);
      if (options.address !== undefined)
        start('kube-scheduler', [`--kubeconfig=${kubeconfigPath}`, '--leader-elect=false', '--secure-port=0']);
    } finally {
      await client.close();
    }
    const forgetHistory = (before: number) => compact(etcdClient, before);
    const pids = { etcd: etcd.pid, apiserver: apiserver.pid };
    return { url, caPem, caFile, token, kubeconfigPath, directory, pids, forgetHistory, stop };
  } catch (error) {
    const logs = children.map((child) => `--- ${child.name}\n${child.lastLines()}`).join('\n');
    await stop();
    throw new Error(`the control plane did not start\n${logs}`, { cause: error });
  }
}

interface Keys {
  readonly signing: string;
  readonly verifying: string;
  readonly tokens: string;
}

function writeKeys(directory: string, token: string): Keys {
  const write = (name: string, content: string) => {
    const file = path.join(directory, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    signing: write('service-account.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    verifying: write('service-account.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    tokens: write('tokens.csv', `${token},admin,admin,system:masters\n`),
  };
}

function etcdArguments(directory: string, client: number, peer: number): readonly string[] {
  const data = path.join(directory, 'etcd');
  mkdirSync(data, { mode: 0o700 });
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=http://127.0.0.1:${client}`,
    `--advertise-client-urls=http://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-cluster=default=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

async function compact(etcd: number, revision: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${etcd}/v3/kv/compaction`, {
    method: 'POST',
    body: JSON.stringify({ revision: String(revision) }),
  });
  const text = await answer.text();
  if (!answer.ok && !text.includes('has been compacted')) throw new Error(`etcd does not compact: ${text}`);
}

function apiserverArguments(directory: string, etcd: number, port: number, keys: Keys): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--cert-dir=${directory}`,
    `--secure-port=${port}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${keys.verifying}`,
    `--service-account-signing-key-file=${keys.signing}`,
    `--token-auth-file=${keys.tokens}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

const addressArguments = (address: string | undefined): readonly string[] =>
  address === undefined
    ? [
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        // A loopback address is no valid endpoint of the `kubernetes` service.
        '--endpoint-reconciler-type=none',
      ]
    : [
        `--bind-address=${address}`,
        `--advertise-address=${address}`,
        // There is no kube-proxy where the server runs.
        '--enable-aggregator-routing=true',
        '--kubelet-preferred-address-types=InternalIP',
      ];

function controllerManagerArguments(kubeconfigPath: string, signingKey: string, caFile: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfigPath}`,
    `--service-account-private-key-file=${signingKey}`,
    `--root-ca-file=${caFile}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}

/** The server signs for itself: its file holds the certificate and then the authority that signed it. */
async function untilReady(url: string, caFile: string, token: string, children: readonly Child[]): Promise<string> {
  const caPem = await eventuallyRunning(children, () => {
    const pem = readFileSync(caFile, 'utf8');
    if (!pem.trimEnd().endsWith('-----END CERTIFICATE-----')) throw new Error('the certificate is not complete');
    return pem;
  });
  const client = createHttpClient({ url, caPem, token });
  try {
    await eventuallyRunning(children, async () => {
      const { status, text } = await client.get('/readyz');
      if (status !== 200) throw new Error(`not ready: ${text}`);
    });
  } finally {
    await client.close();
  }
  return caPem;
}

async function untilAccountsExist(client: HttpClient, manager: Child): Promise<void> {
  await eventuallyRunning([manager], async () => {
    const { status } = await client.get('/api/v1/namespaces/default/serviceaccounts/default');
    if (status !== 200) throw new Error(`the default service account: ${status}`);
  });
}

async function createDefaultAccount(client: HttpClient): Promise<void> {
  await eventually(async () => {
    const { status, text } = await client.post('/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'default' },
    });
    if (status !== 201 && status !== 409) throw new Error(`the default service account: ${text}`);
  });
}

/** Like `eventually`, but a process that has ended ends the wait. */
async function eventuallyRunning<T>(children: readonly Child[], attempt: () => T | Promise<T>): Promise<T> {
  const outcome = await eventually<{ value: T } | { failed: unknown }>(
    async () => {
      try {
        for (const child of children) child.assertRunning();
      } catch (failed) {
        return { failed };
      }
      return { value: await attempt() };
    },
    { timeoutMs: startTimeoutMs, intervalMs: 50 },
  );
  if ('failed' in outcome) throw outcome.failed;
  return outcome.value;
}

function kubeconfig(url: string, caPem: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'test', cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  });
}
