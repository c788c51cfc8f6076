import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from '../../src/app/connect.ts';
import { applyManifests, type InstallOptions, installManifests } from '../../src/app/install.ts';
import { createLogger, silentLogger, systemClock } from '../../src/base/index.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { installKinds, type RunningFeatures, type RunOptions, runFeatures } from './run-features.ts';

const place = { installation: 'x', namespace: 'home' };
const installOptions: InstallOptions = {
  ...place,
  image: 'i',
  replicas: 1,
  features: ['admission', 'generate', 'cleanup', 'mirror', 'detect', 'create'],
  backupRegistry: 'r.example/copies',
};

/** A shared cluster: a tenant with rights in one namespace, an administrator, and the program as it is installed. */
export interface TenantFixture {
  readonly administrator: HttpClient;
  /** May do everything in namespace `tenant`, Policies, PolicyExceptions and detections too, and nothing elsewhere. */
  readonly tenant: HttpClient;
  /** Whether the server checks rights; without, all act as the administrator. */
  readonly checksRights: boolean;
  readonly logged: () => string;
  /** Runs the program with these settings, in place of the one before. */
  run(config?: RunOptions['config']): Promise<void>;
  /** A client with the identity of a part of the installation. */
  as(part: string): Promise<HttpClient>;
  /** Applies the manifests of an installation again, with these options. */
  install(options: Partial<InstallOptions>): Promise<void>;
  put(path: string, object: object): Promise<void>;
  stop(): Promise<void>;
}

export async function createTenantFixture(cluster: Cluster, checksRights: boolean): Promise<TenantFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-tenant-'));
  const clients: HttpClient[] = [];
  const client = (token: string) => {
    const made = createHttpClient({ ...cluster, token });
    clients.push(made);
    return made;
  };
  const administrator = client(cluster.token);
  const put = async (at: string, object: object) => {
    const { status, text } = await administrator.post(at, object);
    if (status !== 201 && status !== 409) throw new Error(`${at}: ${status} ${text}`);
  };
  const tokenOf = async (namespace: string, name: string) => {
    if (!checksRights) return cluster.token;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { body } = await administrator.post(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, request);
    return (body['status'] as { readonly token: string }).token;
  };
  const install = async (options: Partial<InstallOptions>) => {
    const { client: kube, discovery } = await connect({
      env: {},
      kubeconfig: cluster.kubeconfigPath,
      log: silentLogger,
    });
    const manifests = installManifests({ ...installOptions, ...options });
    await applyManifests(manifests, {
      client: kube,
      discovery,
      ...place,
      clock: systemClock,
      force: true,
      onStep: () => {},
    });
    await kube.close();
  };

  for (const name of ['tenant', 'victim']) await put('/api/v1/namespaces', { metadata: { name } });
  if (checksRights) await install({});
  else {
    await put('/api/v1/namespaces', { metadata: { name: 'home' } });
    const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    await connection.client.close();
  }
  await putTenant(put);
  const tenant = client(await tokenOf('tenant', 'attacker'));
  await eventually(async () => {
    const { status, text } = await tenant.get('/apis/kyverno.io/v1/namespaces/tenant/policies');
    if (status !== 200) throw new Error(text);
  });

  const lines: string[] = [];
  const log = createLogger({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
  let running: RunningFeatures | undefined;
  const end = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    administrator,
    tenant,
    checksRights,
    logged: () => lines.join(''),
    put,
    install,
    as: async (part) => client(await tokenOf('home', `x-${part}`)),
    async run(config = {}) {
      await end();
      lines.length = 0;
      const kubeconfig = path.join(folder, 'kubeconfig');
      writeFileSync(kubeconfig, kubeconfigOf(cluster, await tokenOf('home', 'x-policies')));
      running = await runFeatures({ kubeconfigPath: kubeconfig }, ['admission', 'generate', 'cleanup'], {
        log,
        config: {
          ...place,
          webhook: { port: 0, exposure: 'loopback', removeOnStop: true, service: { name: 'x-policies-webhook' } },
          ...config,
        },
      });
    },
    async stop() {
      await end();
      for (const one of clients) await one.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function putTenant(put: TenantFixture['put']): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/tenant';
  const subjects = [{ kind: 'ServiceAccount', name: 'attacker', namespace: 'tenant' }];
  const apiGroup = 'rbac.authorization.k8s.io';
  await put('/api/v1/namespaces/tenant/serviceaccounts', { metadata: { name: 'attacker' } });
  await put(`${rbac}/rolebindings`, {
    metadata: { name: 'attacker-admin' },
    subjects,
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'admin' },
  });
  await put(`${rbac}/roles`, {
    metadata: { name: 'attacker-custom' },
    rules: [
      { apiGroups: ['kyverno.io', 'policies.kyverno.io', 'automation.gitops.io'], resources: ['*'], verbs: ['*'] },
    ],
  });
  await put(`${rbac}/rolebindings`, {
    metadata: { name: 'attacker-custom' },
    subjects,
    roleRef: { apiGroup, kind: 'Role', name: 'attacker-custom' },
  });
  await put('/api/v1/namespaces/victim/secrets', { metadata: { name: 'token' }, stringData: { key: 'the-secret' } });
  await put('/api/v1/namespaces/victim/configmaps', { metadata: { name: 'settings' }, data: { key: 'the-setting' } });
}

function kubeconfigOf({ url, caPem }: Cluster, token: string): string {
  const ca = Buffer.from(caPem).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'home' } }],
    'current-context': 'x',
  });
}
