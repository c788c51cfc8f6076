import { type Clock, isJsonObject, type JsonObject, type Logger, parseYaml } from '../../base/index.ts';
import { type Environment, isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { type Config, configOf, configSchema, type FeatureName } from '../config.ts';
import { loadConfig } from '../config-load.ts';
import type { Connection } from '../connect.ts';
import { availableFeatures, defaultFeatures } from '../features/index.ts';
import { partsOf } from '../install-parts.ts';
import { webhookFeatures } from '../install-rbac.ts';
import { findInstalledParts, type InstalledPart } from '../installed.ts';

export interface CheckOptions {
  readonly connection: Connection;
  readonly installation: string;
  readonly namespace: string;
  /** What runs or will run; by default what is installed, or would be. */
  readonly features?: readonly FeatureName[] | undefined;
  /** A configuration file; by default that of the installation. */
  readonly config?: string | undefined;
  /** By default that of the environment or the configuration. */
  readonly backupRegistry?: string | undefined;
  /** Checks the permissions of our ServiceAccounts in place of the user's. */
  readonly asInstalled: boolean;
  readonly env: Environment;
  readonly clock: Pick<Clock, 'now'>;
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
  readonly deployments: readonly InstalledPart[];
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

export async function readSituation(options: CheckOptions): Promise<Situation> {
  const { connection, installation, namespace, env, signal } = options;
  const all = (await findInstalledParts(connection.client, signal)) ?? [];
  const deployments = all.filter((one) => one.namespace === namespace && one.name.startsWith(`${installation}-`));
  const config =
    options.config === undefined
      ? ((await installedConfig(options, deployments)) ?? configOf({}))
      : loadConfig(options.config).config;
  const backupRegistry = options.backupRegistry ?? (env['BACKUP_REGISTRY'] || config.mirror.registry);
  const installed = deployments.map(({ name, features = [] }) => ({ name, features: features.filter(isFeature) }));
  const features =
    options.features ??
    (options.config !== undefined && config.features.length > 0 ? config.features : undefined) ??
    (installed.length > 0
      ? installed.flatMap((part) => part.features)
      : [...defaultFeatures, ...(backupRegistry === undefined ? [] : (['mirror'] as const))]);
  const planned = partsOf(features).map((part) => ({ ...part, name: `${installation}-${part.name}` }));
  const chosen = installed.map((part) => ({
    ...part,
    features: part.features.filter((one) => features.includes(one)),
  }));
  return {
    ...options,
    config,
    backupRegistry,
    deployments,
    isInstalled: deployments.length > 0,
    features,
    parts: installed.length > 0 ? chosen.filter((part) => part.features.length > 0) : planned,
  };
}

const isFeature = (name: string): name is FeatureName => (availableFeatures as readonly string[]).includes(name);
export const hasWebhooks = (features: readonly string[]) => webhookFeatures.some((one) => features.includes(one));

/** The settings of the installation, preferably those of a part with webhooks. */
async function installedConfig(
  { connection, namespace, signal }: CheckOptions,
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
