import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FeatureName } from '../../src/app/config.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { installManifests } from '../../src/app/install.ts';
import { silentLogger } from '../../src/base/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import type { Cluster } from '../support/real-cluster.ts';

const installation = 'supercargo';

/** Only what says who may do what; the program itself runs in the test. */
const kinds: readonly ResourceType[] = [
  { group: '', version: 'v1', resource: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true },
  ...(['Role', 'RoleBinding'] as const).map((kind) => rbac(kind, true)),
  ...(['ClusterRole', 'ClusterRoleBinding'] as const).map((kind) => rbac(kind, false)),
];

function rbac(kind: string, namespaced: boolean): ResourceType {
  return {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    resource: `${kind.toLowerCase()}s`,
    kind,
    namespaced,
  };
}

/** Connects as the account that `supercargo install` makes for these features, with its rights and no other. */
export async function connectAsInstalled(
  administrator: Connection,
  cluster: Cluster,
  { namespace, features, folder }: { namespace: string; features: readonly FeatureName[]; folder: string },
): Promise<Connection> {
  const { client } = administrator;
  for (const manifest of installManifests({
    namespace,
    installation,
    image: 'i',
    replicas: 1,
    parts: [{ name: 'all', features }],
    backupRegistry: 'backup.example/copies',
  })) {
    const type = kinds.find(({ kind }) => kind === manifest.kind);
    if (type !== undefined) await client.apply(type, manifest, { fieldManager: 'test', force: true });
  }
  // An administrator who trusts the mirror with the pull secrets of every namespace.
  await client.apply(
    rbac('ClusterRoleBinding', false),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'test-pull-secrets' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${installation}-pull-secrets` },
      subjects: [{ kind: 'ServiceAccount', name: `${installation}-all`, namespace }],
    },
    { fieldManager: 'test' },
  );
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: `${installation}-all`, namespace },
  };
  const answer: KubeObject = await client.create<KubeObject>(
    kinds[0]!,
    { ...review, spec: {} },
    { subresource: 'token' },
  );
  const { token } = answer['status'] as { readonly token: string };
  const file = path.join(folder, 'installed.kubeconfig');
  const ca = Buffer.from(cluster.caPem).toString('base64');
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: cluster.url, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
      'current-context': 'x',
    }),
  );
  await client.close();
  return connect({ env: {}, kubeconfig: file, log: silentLogger });
}
