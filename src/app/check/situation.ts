import { existsSync } from 'node:fs';
import { type Clock, isJsonObject, type JsonObject, type Logger, parseYaml } from '../../base/index.ts';
import { type Environment, isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { type Config, configOf, configSchema, type FeatureName } from '../config.ts';
import { loadConfig } from '../config-load.ts';
import type { Connection } from '../connect.ts';
import { availableFeatures, defaultFeatures } from '../features/index.ts';
import { configFile } from '../install-deployment.ts';
import { partsOf } from '../install-parts.ts';
import { webhookFeatures } from '../install-rbac.ts';
import { findInstalledParts, type InstalledPart } from '../installed.ts';

export interface CheckOptions {
  readonly connection: Connection;
  /** By default those of the configuration, then those of `supercargo install`. */
  readonly installation?: string | undefined;
  readonly namespace?: string | undefined;
  /** What runs or will run; by default what is installed, or would be. */
  readonly features?: readonly FeatureName[] | undefined;
  /** A configuration file; by default that of the pod or of the installation. */
  readonly config?: string | undefined;
  /** By default that of the environment or the configuration. */
  readonly backupRegistry?: string | undefined;
  /** Checks the permissions of our ServiceAccounts in place of the user's. */
  readonly asInstalled: boolean;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** A Deployment of the installation, or one that `install` would create. */
interface CheckedPart {
  /** `<installation>-<part>`: also the name of its ServiceAccount. */
  readonly name: string;
  readonly features: readonly FeatureName[];
}

/** What the checks start from. */
export interface Situation extends Omit<CheckOptions, 'features' | 'config' | 'backupRegistry'> {
  readonly installation: string;
  readonly namespace: string;
  /** In a pod of the installation: its part alone is checked, with the permissions of its account. */
  readonly isOwnPod: boolean;
  /** Undefined where they may not be listed. */
  readonly deployments: readonly InstalledPart[] | undefined;
  readonly isInstalled: boolean;
  readonly parts: readonly CheckedPart[];
  readonly features: readonly FeatureName[];
  readonly config: Config;
  readonly backupRegistry: string | undefined;
}

const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const defaultName = 'supercargo';

export async function readSituation(options: CheckOptions): Promise<Situation> {
  const { connection, env, signal } = options;
  const { client } = connection;
  const file = options.config ?? (isInPod(options) && existsSync(configFile) ? configFile : undefined);
  const given = file === undefined ? undefined : loadConfig(file).config;
  const installation = options.installation ?? given?.installation ?? defaultName;
  const namespace = options.namespace ?? given?.namespace ?? (isInPod(options) ? client.config.namespace : defaultName);
  const place = { ...options, installation, namespace };
  const all = (await findInstalledParts(client, signal)) ?? (await findInstalledParts(client, signal, namespace));
  const deployments = all?.filter((one) => one.namespace === namespace && one.name.startsWith(`${installation}-`));
  const config = given ?? (await installedConfig(place, deployments ?? [])) ?? configOf({});
  const backupRegistry = options.backupRegistry ?? (env['BACKUP_REGISTRY'] || config.mirror.registry);
  const installed = (deployments ?? []).map(({ name, features = [] }) => ({
    name,
    features: features.filter(isFeature),
  }));
  const features =
    options.features ??
    (given !== undefined && given.features.length > 0 ? given.features : undefined) ??
    (installed.length > 0
      ? installed.flatMap((part) => part.features)
      : [...defaultFeatures, ...(backupRegistry === undefined ? [] : (['mirror'] as const))]);
  const own = isInPod(options) ? await ownAccount(place) : undefined;
  const chosen = installed.map((part) => ({
    ...part,
    features: part.features.filter((one) => features.includes(one)),
  }));
  const parts =
    own !== undefined
      ? [{ name: own, features }]
      : installed.length > 0
        ? chosen.filter((part) => part.features.length > 0)
        : partsOf(features).map((part) => ({ ...part, name: `${installation}-${part.name}` }));
  return {
    ...place,
    config,
    backupRegistry,
    deployments,
    isOwnPod: own !== undefined,
    isInstalled: own !== undefined || installed.length > 0,
    features,
    parts,
  };
}

const isInPod = ({ connection }: CheckOptions) => connection.client.config.isInPod === true;

/** The ServiceAccount of this pod, if it is one of the installation. */
async function ownAccount({
  connection,
  installation,
  namespace,
  signal,
}: CheckOptions & { readonly installation: string; readonly namespace: string }): Promise<string | undefined> {
  const [apiVersion, kind] = ['authentication.k8s.io/v1', 'SelfSubjectReview'];
  const { value } = await connection.client.raw(`/apis/${apiVersion}/selfsubjectreviews`, {
    post: { apiVersion, kind },
    signal,
  });
  const { status } = value as { readonly status?: { readonly userInfo?: { readonly username?: string } } };
  const prefix = `system:serviceaccount:${namespace}:`;
  const user = status?.userInfo?.username ?? '';
  return user.startsWith(`${prefix}${installation}-`) ? user.slice(prefix.length) : undefined;
}

const isFeature = (name: string): name is FeatureName => (availableFeatures as readonly string[]).includes(name);
export const hasWebhooks = (features: readonly string[]) => webhookFeatures.some((one) => features.includes(one));

/** The settings of the installation, preferably those of a part with webhooks. */
async function installedConfig(
  { connection, namespace, signal }: Pick<Situation, 'connection' | 'namespace' | 'signal'>,
  deployments: readonly InstalledPart[],
): Promise<Config | undefined> {
  const byUse = [...deployments].sort(
    (a, b) => Number(hasWebhooks(b.features ?? [])) - Number(hasWebhooks(a.features ?? [])),
  );
  for (const { name } of byUse)
    try {
      const { data } = await connection.client.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
        configMaps,
        { namespace, name },
        { signal },
      );
      const result = configSchema.safeParse(readMap(data?.['config.yaml'] ?? '', name));
      if (result.success) return result.data;
    } catch (thrown) {
      // Without the permission, defaults are assumed.
      if (!isKubeError(thrown, 'kube-forbidden') && !isKubeError(thrown, 'kube-not-found')) throw thrown;
    }
  return undefined;
}

function readMap(text: string, file: string): JsonObject {
  try {
    const value = parseYaml(text, { file });
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
