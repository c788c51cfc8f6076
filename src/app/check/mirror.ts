import { type MirroredImage, mirroredImages } from '../../api/index.ts';
import { parseReference, parseTarget } from '../../image/index.ts';
import { isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { createRegistryClient, isRegistryError, proxyFromEnvironment } from '../../registry/index.ts';
import { credentialsFor } from '../mirror-images.ts';
import { registryNetwork } from '../registry-network.ts';
import { type CheckLine, fail, guarded, pass, someOf, warn } from './check-line.ts';
import type { Situation } from './situation.ts';

const secrets: ResourceType = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const roleBindings: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};

export async function checkMirror(situation: Situation): Promise<readonly CheckLine[]> {
  if (!situation.features.includes('mirror')) return [];
  const lines = await Promise.all([
    guarded('backup-registry', async () => [await checkRegistry(situation)]),
    guarded('pull-secrets', () => checkPullSecrets(situation)),
  ]);
  return lines.flat();
}

/** A request to the repository of a copy that does not exist: it needs an answer of `/v2/` and a valid login. */
async function checkRegistry(situation: Situation): Promise<CheckLine> {
  const { backupRegistry, config, env, signal, log } = situation;
  const check = 'backup-registry';
  if (backupRegistry === undefined)
    return fail(check, 'none is named', 'name one with --backup-registry or mirror.registry');
  const { registry } = parseTarget(backupRegistry);
  const { settings } = registryNetwork(config, [registry]);
  const client = createRegistryClient({
    credentials: credentialsFor(registry, { ...env, ...(await installedCredentials(situation)) }),
    settings: (host) => (config.mirror.insecure && host === registry ? { isPlainHttp: true } : settings(host)),
    proxy: proxyFromEnvironment(env),
    connectTimeoutMs: 5_000,
    callTimeoutMs: 15_000,
    attempts: 2,
    log,
  });
  try {
    const { tag, ...repository } = parseReference(`${backupRegistry}/supercargo-check:latest`);
    await client.headManifest(repository, tag!, signal);
    return pass(check, `${backupRegistry} answers from here, and accepts the credentials`);
  } catch (thrown) {
    if (!isRegistryError(thrown)) throw thrown;
    const isLogin = thrown.code === 'registry-unauthorized' || thrown.code === 'registry-forbidden';
    const remedy = isLogin
      ? 'give BACKUP_REGISTRY_USERNAME and BACKUP_REGISTRY_PASSWORD, or log in with docker'
      : 'check its name, its certificate (registries.caFile) and the network';
    return fail(check, thrown.message, remedy);
  } finally {
    await client.close();
  }
}

/** Those that the pods have, where the environment names none and the Secret can be read. */
async function installedCredentials({ connection, installation, namespace, env, signal }: Situation) {
  if (env['BACKUP_REGISTRY_USERNAME'] !== undefined) return {};
  try {
    const name = `${installation}-backup-registry`;
    const { data = {} } = await connection.client.get<
      KubeObject & { readonly data?: Readonly<Record<string, string>> }
    >(secrets, { namespace, name }, { signal });
    const [username, password] = [data['username'], data['password']].map((text) =>
      Buffer.from(text ?? '', 'base64').toString(),
    );
    return username && password ? { BACKUP_REGISTRY_USERNAME: username, BACKUP_REGISTRY_PASSWORD: password } : {};
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found') || isKubeError(thrown, 'kube-forbidden')) return {};
    throw thrown;
  }
}

/** The pull secrets of workloads can be read only in namespaces with a RoleBinding. */
async function checkPullSecrets(situation: Situation): Promise<readonly CheckLine[]> {
  const { connection, installation, namespace, isInstalled, signal } = situation;
  const check = 'pull-secrets';
  if (!isInstalled) return [];
  const used = new Set<string>();
  for await (const { items } of connection.client.pages<MirroredImage>(mirroredImages, { signal }))
    for (const { spec } of items) for (const ref of spec.pullSecrets ?? []) used.add(ref.namespace);
  const { items } = await connection.client.list<KubeObject>(roleBindings, {
    fieldSelector: `metadata.name=${installation}-pull-secrets`,
    signal,
  });
  const bound = new Set(items.filter((one) => bindsIn(one, namespace)).map(({ metadata }) => metadata.namespace));
  const missing = [...used].filter((one) => !bound.has(one) && one !== namespace).sort();
  if (missing.length === 0) return [pass(check, `bound in ${bound.size} namespaces, no other has pull secrets in use`)];
  return [
    warn(
      check,
      `not readable in ${someOf(missing)}: private images there are not copied`,
      'supercargo install --apply --mirror-namespace NAME, or mirror.namespaces of the chart',
    ),
  ];
}

const bindsIn = (binding: KubeObject, namespace: string) =>
  ((binding['subjects'] ?? []) as readonly { readonly namespace?: string }[]).some(
    (subject) => subject.namespace === namespace,
  );
