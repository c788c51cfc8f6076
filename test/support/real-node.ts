import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resolveAssets } from '../../scripts/assets.mjs';
import { makeImage, makeIndex, makeLayer } from '../../scripts/image/oci.ts';
import { pushBuilt } from '../../scripts/image/push.ts';
import type { TarEntry } from '../../scripts/image/tar.ts';
import { parseReference } from '../../src/image/index.ts';
import { createRegistryClient } from '../../src/registry/index.ts';
import { type DockerRegistry, findProgram, startDockerRegistry } from './docker-registry.ts';
import { createHttpClient } from './http-client.ts';
import { type NodeChild, type NodeNamespace, openNodeNamespace } from './node-namespace.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';
import { missingOf, skipReason } from './skip.ts';
import { eventually } from './wait.ts';

/** A control plane and one node: kubelet, containerd, kube-proxy and a bridge network. Pods really run. */
export interface RealNode {
  readonly cluster: RealCluster;
  readonly namespace: NodeNamespace;
  /** Holds data, logs and images; gone after `stop`. */
  readonly folder: string;
  /** A registry that the node and its pods reach over plain HTTP. */
  readonly registry: DockerRegistry;
  /** An image with busybox as shell. */
  readonly busybox: string;
  /** One more registry of this kind. */
  startRegistry(): Promise<DockerRegistry>;
  restartKubelet(): Promise<void>;
  /** The end of the logs of all programs, for a test that failed. */
  logs(): string;
  stop(): Promise<void>;
}

const needed = [
  ['containerd', 'containerd'],
  ['runc', 'runc'],
  ['docker-registry', 'docker-registry'],
  ['busybox', 'busybox-static'],
  ['iptables', 'iptables'],
  ['unshare', 'util-linux'],
  ['nsenter', 'util-linux'],
  ['ip', 'iproute2'],
] as const;
const cniFolder = '/usr/lib/cni';
const programFolders = ['/usr/sbin', '/sbin'];
const readyTimeoutMs = 120_000;

/** Why this machine cannot run a node, with these programs at hand; undefined where it can. */
export async function whyNoNode(needs: Readonly<Record<string, unknown>> = {}): Promise<string | undefined> {
  const what = 'tests on a real node';
  return missingOf(what, needs) ?? skipReason(what, await findReason());
}

async function findReason(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux runs a kubelet';
  if (process.getuid?.() !== 0) return 'a kubelet needs root';
  const missing: string[] = needed
    .filter(([name]) => findProgram(name, programFolders) === undefined)
    .map(([, of]) => of);
  if (!existsSync(path.join(cniFolder, 'bridge'))) missing.push('containernetworking-plugins');
  if (missing.length > 0) return `not installed: ${missing.join(', ')} (.ci/servers installs them)`;
  const assets = await resolveAssets();
  if (!existsSync(path.join(assets, 'kubelet'))) return `${assets} has no kubelet`;
  try {
    await (await openNodeNamespace()).stop();
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  return undefined;
}

export async function startRealNode(): Promise<RealNode> {
  await removeOldCgroups();
  const assets = await resolveAssets();
  const folder = mkdtempSync(path.join(tmpdir(), 'scnode-'));
  const cgroup = `supercargo-node-${process.pid}-${path.basename(folder)}`;
  const programs: NodeChild[] = [];
  const ends: (() => Promise<void>)[] = [];
  const logs = () => programs.map((one) => `--- ${one.name}\n${one.lastLines()}`).join('\n');
  const stop = async () => {
    for (const child of programs.splice(0).reverse()) await child.stop();
    for (const end of ends.splice(0).reverse()) await end();
    for (const one of cgroupFolders(cgroup)) await removeCgroup(one);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const namespace = await openNodeNamespace();
    ends.push(() => namespace.stop());
    const startRegistry = async () => {
      const registry = await startDockerRegistry({ address: namespace.hostAddress });
      ends.push(() => registry.stop());
      trustRegistry(folder, registry.host);
      return registry;
    };
    const registry = await startRegistry();
    const busybox = `${registry.host}/test/busybox:1`;
    await pushBusybox(busybox);
    const cluster = await startRealCluster({ controllerManager: true, address: namespace.hostAddress });
    ends.push(() => cluster.stop());
    const start = (name: string, binary: string, args: readonly string[]) => {
      const child = namespace.start(name, binary, args, path.join(folder, `${name}.log`));
      programs.push(child);
      return child;
    };
    for (const one of cgroupFolders(cgroup)) mkdirSync(one, { recursive: true });
    writeNetwork(folder, namespace.podCidr);
    start('containerd', 'containerd', ['--config', writeContainerd(folder, busybox)]);
    await eventually(() => {
      if (!existsSync(path.join(folder, 'containerd.sock'))) throw new Error('containerd has no socket yet');
    });
    start('kube-proxy', path.join(assets, 'kube-proxy'), ['--config', writeProxy(folder, cluster, namespace)]);
    const kubeletArguments = [
      `--config=${writeKubelet(folder, cgroup, namespace)}`,
      `--kubeconfig=${cluster.kubeconfigPath}`,
      '--hostname-override=node',
      `--node-ip=${namespace.address}`,
      `--root-dir=${path.join(folder, 'kubelet')}`,
    ];
    const startKubelet = () => start('kubelet', path.join(assets, 'kubelet'), kubeletArguments);
    let kubelet = startKubelet();
    const restartKubelet = async () => {
      await kubelet.stop();
      programs.splice(programs.indexOf(kubelet), 1);
      kubelet = startKubelet();
    };
    await untilNodeReady(cluster, () => {
      for (const child of programs) child.assertRunning();
    });
    return { cluster, namespace, folder, registry, busybox, startRegistry, restartKubelet, logs, stop };
  } catch (thrown) {
    const seen = logs();
    await stop();
    throw new Error(`the node did not start\n${seen}`, { cause: thrown });
  }
}

async function untilNodeReady(cluster: RealCluster, assertRunning: () => void): Promise<void> {
  const client = createHttpClient(cluster);
  try {
    await eventually(
      async () => {
        assertRunning();
        const { text } = await client.get('/api/v1/nodes/node');
        const node = JSON.parse(text) as {
          status?: { conditions?: { type: string; status: string }[] };
          spec?: { taints?: [] };
        };
        const isReady = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
        if (!isReady || (node.spec?.taints ?? []).length > 0) throw new Error(`the node is not ready: ${text}`);
      },
      { timeoutMs: readyTimeoutMs, intervalMs: 200 },
    );
  } finally {
    await client.close();
  }
}

/** The programs that shell scripts of the tests use; as pause image it sleeps. The content makes a distinct image. */
export async function pushBusybox(name: string, content = ''): Promise<void> {
  const binary = readFileSync(findProgram('busybox') ?? 'busybox');
  const links = ['sh', 'sleep', 'cat', 'echo', 'wget', 'httpd', 'true', 'false', 'id', 'touch', 'test'];
  const layer = await makeLayer([
    { type: 'file', path: 'bin/busybox', mode: 0o755, data: binary },
    ...links.map((link): TarEntry => ({ type: 'link', path: `bin/${link}`, target: 'busybox' })),
    { type: 'folder', path: 'tmp', mode: 0o1777 },
    { type: 'file', path: 'content', mode: 0o644, data: Buffer.from(content) },
  ]);
  const image = makeImage({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    layers: [layer],
    process: { entrypoint: ['/bin/sleep', '2147483647'], env: ['PATH=/bin'] },
    created: '2026-01-01T00:00:00Z',
  });
  const client = createRegistryClient({ settings: () => ({ isInsecure: true }) });
  try {
    await pushBuilt(client, parseReference(name), { images: [image], index: makeIndex([image], {}), referrers: [] });
  } finally {
    await client.close();
  }
}

function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const trustRegistry = (folder: string, host: string) =>
  write(folder, `certs.d/${host}/hosts.toml`, `server = "http://${host}"\n[host."http://${host}"]\n`);

const writeNetwork = (folder: string, podCidr: string) =>
  write(
    folder,
    'cni/10-bridge.conflist',
    JSON.stringify({
      cniVersion: '1.0.0',
      name: 'pods',
      plugins: [
        {
          type: 'bridge',
          bridge: 'pods0',
          isGateway: true,
          hairpinMode: true,
          ipam: { type: 'host-local', ranges: [[{ subnet: podCidr }]], routes: [{ dst: '0.0.0.0/0' }] },
        },
      ],
    }),
  );

/** Without `restrict_oom_score_adj`, runc fails where the capability for lower values is missing. */
const writeContainerd = (folder: string, pause: string) =>
  write(
    folder,
    'containerd.toml',
    `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pause}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniFolder}"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${folder}/certs.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`,
  );

const writeProxy = (folder: string, cluster: RealCluster, { address, podCidr }: NodeNamespace) =>
  write(
    folder,
    'kube-proxy.json',
    JSON.stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'iptables',
      bindAddress: address,
      hostnameOverride: 'node',
      clusterCIDR: podCidr,
      clientConnection: { kubeconfig: cluster.kubeconfigPath },
      iptables: { masqueradeAll: true, minSyncPeriod: '0s' },
      conntrack: { maxPerCore: 0 },
    }),
  );

const writeKubelet = (folder: string, cgroup: string, { address }: NodeNamespace) =>
  write(
    folder,
    'kubelet.json',
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address,
      // Only this machine reaches the node's network.
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      failCgroupV1: false,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${cgroup}`,
      enforceNodeAllocatable: [],
      failSwapOn: false,
      oomScoreAdj: 0,
      containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
      podLogsDir: path.join(folder, 'logs'),
      resolvConf: '',
      healthzPort: 0,
      imageGCHighThresholdPercent: 100,
      evictionHard: {
        'memory.available': '0%',
        'nodefs.available': '0%',
        'nodefs.inodesFree': '0%',
        'imagefs.available': '0%',
      },
      serializeImagePulls: false,
      nodeStatusUpdateFrequency: '2s',
      syncFrequency: '5s',
      fileCheckFrequency: '60s',
      shutdownGracePeriod: '0s',
      volumePluginDir: path.join(folder, 'volume-plugins'),
    }),
  );

const cgroupMount = '/sys/fs/cgroup';

/** A folder for each controller (version 1), or one (version 2). */
function cgroupFolders(name: string): readonly string[] {
  if (existsSync(path.join(cgroupMount, 'cgroup.controllers'))) return [path.join(cgroupMount, name)];
  return readdirSync(cgroupMount, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(cgroupMount, entry.name, name));
}

/** Only empty groups can be removed, innermost first. */
async function removeCgroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeCgroup(path.join(folder, entry.name));
  try {
    // The kernel ends the processes of the namespace one after the other, and each leaves its group at its end.
    await eventually(() => rmdirSync(folder), { timeoutMs: 20_000 });
  } catch (thrown) {
    process.stderr.write(`${folder} is left behind: ${thrown}\n`);
  }
}

/** What a killed test left: its processes ended with it, its groups stayed. */
async function removeOldCgroups(): Promise<void> {
  const [first] = cgroupFolders('');
  for (const name of first === undefined ? [] : readdirSync(first)) {
    const pid = /^supercargo-node-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      for (const one of cgroupFolders(name)) await removeCgroup(one);
  }
}
