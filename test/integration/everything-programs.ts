import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from '../../src/app/connect.ts';
import { parseYaml, silentLogger } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { startRegistryServer } from '../../src/registryserver/index.ts';
import { runProgram, startProgram } from '../support/program.ts';
import type { Cluster } from '../support/real-cluster.ts';
import type { EverythingCluster } from './everything-scenario.ts';
import { manifests } from './insights/rbac.ts';
import { launchRun } from './run-program.ts';

const features = ['admission', 'generate', 'report', 'mirror', 'detect', 'create', 'sync', 'jobs'];

type Variables = Readonly<Record<string, string>>;

/** The built program with a cluster and a registry of its own. */
export async function startUp(env: Variables): Promise<EverythingCluster> {
  const args = ['up', '--no-demo', '-o', 'json', '--log-level', 'info', '--features', features.join(',')];
  const program = await startProgram(args, { env });
  const { kubeconfig, registry } = program.ready;
  return {
    kubeconfigPath: kubeconfig,
    registry,
    backup: `${registry}/copies`,
    logged: program.stderr,
    stop: async () => void (await program.stop()),
  };
}

export interface RunOptions {
  readonly rewrite: 'workloads' | 'pods';
  /** With the rights of `supercargo install` and of the manifests for Insights, and no others. */
  readonly isInstalled: boolean;
}

/** The built program against a cluster, as in production but on this machine. */
export async function startEverything(
  startCluster: () => Promise<Cluster>,
  env: Variables,
  { rewrite, isInstalled }: RunOptions,
): Promise<EverythingCluster> {
  const [cluster, registry] = await Promise.all([startCluster(), startRegistryServer()]);
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-everything-'));
  const stopServers = async () => {
    await registry.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const backup = `${registry.host}/copies`;
    const kubeconfigPath = path.join(folder, 'kubeconfig');
    writeFileSync(kubeconfigPath, await install(cluster, backup, isInstalled));
    const create = { allowLocalRepositories: true, allowLoopback: true, batchWindow: '200ms' };
    const mirror = { registry: backup, wait: '7s', rewrite, trustReviews: true };
    const webhook = {
      port: 0,
      exposure: 'loopback',
      removeOnStop: false,
      service: { name: `${account.name}-webhook` },
    };
    const config = { namespace: account.namespace, features, create, mirror, webhook };
    const program = launchRun({ kubeconfigPath }, config, env);
    return {
      kubeconfigPath: cluster.kubeconfigPath,
      registry: registry.host,
      backup,
      logged: program.stderr,
      async stop() {
        await program.stop();
        await stopServers();
      },
    };
  } catch (thrown) {
    await stopServers();
    throw thrown;
  }
}

/** The service account of an installation. */
export const account = { name: 'supercargo-all', namespace: 'supercargo' };

/** The user of the embedded cluster's kubeconfig. */
const embeddedOwner = 'admin';

/** Installs as the documentation tells, and answers the kubeconfig of the installation's account, or of the cluster's owner. */
async function install(cluster: Cluster, backup: string, isInstalled: boolean): Promise<string> {
  const args = [
    'install',
    '--apply',
    '--kubeconfig',
    cluster.kubeconfigPath,
    '--backup-registry',
    backup,
    '--part',
    `all=${features.join(',')}`,
    // Else only the installation's account may write detections.
    ...(isInstalled ? [] : ['--detection-user', embeddedOwner]),
  ];
  const { exitCode, stderr } = await runProgram(args);
  if (exitCode !== 0) throw new Error(`the installation failed: ${stderr}`);
  const kubeconfig = readFileSync(cluster.kubeconfigPath, 'utf8');
  if (!isInstalled) return kubeconfig;
  const { client, discovery } = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  const example = readFileSync(new URL('../../examples/unique-job-per-image/rbac.yaml', import.meta.url), 'utf8');
  const generated = parseYaml(example) as unknown as KubeObject;
  for (const object of [...manifests.filter(({ kind }) => kind !== 'CronJob'), generated]) {
    const type = await discovery.byKind(`${object.apiVersion}/${object.kind}`);
    await client.apply(type!, object, { fieldManager: 'kubectl' });
  }
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: account, spec: {} };
  const type = await discovery.byKind('v1/ServiceAccount');
  const answer = await client.create<KubeObject>(type!, request, { subresource: 'token' });
  await client.close();
  return kubeconfig.replaceAll(cluster.token, (answer['status'] as { readonly token: string }).token);
}
