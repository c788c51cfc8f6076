import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { eventually } from '../../test/support/wait.ts';
import { Load } from './load.ts';
import { createLookedUp, withLookUps } from './look-ups.ts';
import { podSecurityPolicies } from './pod-security.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export const installation = 'bench';
const policiesPath = '/apis/kyverno.io/v1/clusterpolicies';

/** A process that serves admission reviews. */
export interface AdmissionProcess {
  readonly pid: number;
  readonly port: number;
  readonly ca: string;
  /** CPU time of all its threads so far. */
  cpuMs(): number;
  residentMb(): number;
  peakMb(): number;
  stop(): Promise<void>;
}

/** `supercargo run` with the policies of a cluster, in a process of its own. */
export interface AdmissionProgram extends AdmissionProcess {
  /** Of the page, where the program serves it. */
  readonly page: string | undefined;
}

interface Access {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  readonly kubeconfig: string;
}

export interface AdmissionCluster {
  readonly load: Load;
  /** The program of this path, with arguments for Node. */
  start(program: string, features: readonly string[], execArgv?: readonly string[]): Promise<AdmissionProgram>;
  /** Ends its connections, not the cluster. */
  close(): Promise<void>;
}

/** An API server in one process, with the seventeen rules of the review; programs run against it as its replicas. */
export async function startAdmissionCluster(
  program: string,
  options: PolicyOptions = {},
): Promise<AdmissionCluster & { readonly server: ServerProcess; stop(): Promise<void> }> {
  const server = await startServer(resolve(program), ['--no-simulation', '--features', 'none']);
  const cluster = await openAdmissionCluster(server, options);
  return {
    ...cluster,
    server,
    async stop() {
      await cluster.close();
      await server.stop();
    },
  };
}

/** The same with an API server that runs already. */
export async function openAdmissionCluster(access: Access, options: PolicyOptions = {}): Promise<AdmissionCluster> {
  const load = new Load(access, 4);
  const definitions = customResourceDefinitions(installation).map((definition) => JSON.stringify(definition));
  await load.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitions, 1);
  await load.create('/api/v1/namespaces', [JSON.stringify({ metadata: { name: installation } })], 1);
  await createPolicies(load, options);
  return {
    load,
    start: (path, features, execArgv = []) => startAdmission(access, load, { path: resolve(path), features, execArgv }),
    close: () => load.close(),
  };
}

interface PolicyOptions {
  /** Their rules ask for namespaces, roles and a ConfigMap. */
  readonly lookUps?: boolean;
}

/** As soon as the server knows their kind. */
export async function createPolicies(load: Load, { lookUps = false }: PolicyOptions = {}): Promise<void> {
  await eventually(() => load.get(policiesPath), { timeoutMs: 300_000 });
  if (lookUps) await createLookedUp(load);
  await load.create(policiesPath, (lookUps ? podSecurityPolicies.map(withLookUps) : podSecurityPolicies).map(named), 1);
}

const named = ({ metadata, ...policy }: Pick<(typeof podSecurityPolicies)[number], 'metadata'>) =>
  JSON.stringify({ ...policy, metadata: { name: metadata.name } });

async function startAdmission(
  { kubeconfig }: Access,
  load: Load,
  started: { readonly path: string; readonly features: readonly string[]; readonly execArgv: readonly string[] },
): Promise<AdmissionProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
  const config = join(folder, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      installation,
      namespace: installation,
      features: started.features,
      server: { port: 0 },
      dashboard: { port: 0 },
      policies: { selector: {} },
      webhook: { port: 0, exposure: 'loopback', removeOnStop: true },
    }),
  );
  const child = spawn(
    process.execPath,
    [...started.execArgv, started.path, 'run', '--config', config, '--kubeconfig', kubeconfig],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TMPDIR: folder } },
  );
  const program = processOf(child);
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  const portOf = (message: string) => lines.find(({ msg }) => msg === message)?.['port'] as number | undefined;
  const page = () => lines.find(({ msg }) => msg === 'the dashboard is served')?.['address'] as string | undefined;
  const stop = async () => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const withPage = started.features.includes('dashboard');
  try {
    let port: number | undefined;
    let ca: string | undefined;
    for (const endMs = performance.now() + 120_000; ; ) {
      port = portOf('webhook server listening');
      ca ??= await registeredCa(load);
      if (port !== undefined && ca !== undefined && (!withPage || page() !== undefined)) break;
      if (child.exitCode !== null || performance.now() > endMs)
        throw new Error(`the program does not serve: ${lines.map((line) => JSON.stringify(line)).join('\n')}`);
      await new Promise((next) => setTimeout(next, 20));
    }
    return { ...program, port, ca, page: withPage ? `http://${page()}` : undefined, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** What the system says of a process, and its end. */
export function processOf(child: ChildProcess): Omit<AdmissionProcess, 'port' | 'ca'> {
  const pid = child.pid!;
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  // A bench that fails leaves nothing behind.
  const killWithParent = () => child.kill('SIGKILL');
  process.once('exit', killWithParent);
  void exited.then(() => process.off('exit', killWithParent));
  return {
    pid,
    ...usageOf(pid),
    async stop() {
      child.kill('SIGTERM');
      const insist = setTimeout(() => child.kill('SIGKILL'), 30_000);
      await exited;
      clearTimeout(insist);
    },
  };
}

export function usageOf(pid: number): Pick<AdmissionProcess, 'cpuMs' | 'residentMb' | 'peakMb'> {
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  return {
    cpuMs: () => threadsCpuMs(pid),
    residentMb: () => megabytes('VmRSS'),
    peakMb: () => megabytes('VmHWM'),
  };
}

/** The authority that the webhooks name, once they are registered; all replicas have it in common. */
export async function registeredCa(load: Load): Promise<string | undefined> {
  interface List {
    readonly items: readonly { readonly webhooks?: readonly { readonly clientConfig: Client }[] }[];
  }
  interface Client {
    readonly url?: string;
    readonly caBundle: string;
  }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const { items } = await load.read<List>(path);
  const clients = items.flatMap(({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig));
  const ours = clients.find(({ url }) => url?.endsWith('/validate/fail'));
  return ours && Buffer.from(ours.caBundle, 'base64').toString();
}

/** What the kernel counted for all threads, to the nanosecond; ticks of 10 ms are too coarse for few requests. */
function threadsCpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let ns = 0;
  for (const task of readdirSync(tasks)) ns += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]);
  return ns / 1e6;
}
