import { customResourceDefinitions } from '../api/index.ts';
import { isJsonObject, type JsonObject, renderYaml, UsageError } from '../base/index.ts';
import { applyMergePatch, type KubeObject } from '../object/index.ts';
import { fixedSettings, mirrorObjects, ownConfig, partObjects, sharedObjects } from './chart/objects.ts';
import type { InstallScope, InstallTemplate } from './chart/scope.ts';
import { evaluate } from './chart/template.ts';
import { type ChartValues, chartValues } from './chart/values.ts';
import type { FeatureName } from './config.ts';
import { loadConfig, readConfig } from './config-load.ts';
import { defaultFeatures } from './features/index.ts';
import { checksumOf } from './install-config.ts';
import { installationLabels } from './install-objects.ts';
import { type Part, partsOf } from './install-parts.ts';
import { refuseInstall } from './install-refusals.ts';

export { applyManifests } from './install-apply.ts';
export { type InstalledDefinition, listInstalledDefinitions } from './install-data.ts';
export type { OnObjectAction } from './install-objects.ts';
export { parseParts } from './install-parts.ts';
export { removeInstallation } from './install-remove.ts';
export { waitForDeployments } from './install-wait.ts';
export { remainingOfParts, removeFormerWebhooks, removeWebhooks } from './install-webhooks.ts';

export interface InstallOptions {
  readonly namespace: string;
  readonly installation: string;
  readonly image: string;
  readonly replicas: number;
  /** All features by default; `mirror` only with a registry to copy to. */
  readonly features?: readonly FeatureName[] | undefined;
  /** Replaces the default grouping of the features. */
  readonly parts?: readonly Part[] | undefined;
  /** Where copies of images go. */
  readonly backupRegistry?: string | undefined;
  /** Namespaces whose pull secrets may be read to copy private images. */
  readonly mirrorNamespaces?: readonly string[] | undefined;
  /** Source addresses of the API server's webhook calls; any by default. */
  readonly apiServerCidrs?: readonly string[] | undefined;
  /** Users besides our own identities that may write ImageDetected objects, as the API server names them. */
  readonly detectionUsers?: readonly string[] | undefined;
  /** Secrets to pull the image with. */
  readonly pullSecrets?: readonly string[] | undefined;
  /** Settings of the program. */
  readonly config?: JsonObject | undefined;
}

/** The objects of an installation, in the order they are applied. */
export function installManifests(options: InstallOptions): readonly KubeObject[] {
  const { namespace, installation, image } = options;
  const values = valuesOf(options);
  const parts = options.parts ?? partsOf(options.features ?? featuresOf(values));
  const mirroring = parts.find((part) => part.features.includes('mirror'));
  refuseInstall({
    namespace,
    parts,
    replicas: options.replicas,
    backupRegistry: values.mirror.registry,
    mirrorNamespaces: values.mirror.namespaces,
    config: options.config ?? {},
  });
  const scope: InstallScope = { values, installation, namespace, image, parts };
  const render = (objects: Readonly<Record<string, InstallTemplate>>, within: InstallScope) =>
    Object.values(objects).flatMap((template) => evaluate(template, within) as readonly KubeObject[]);
  return [
    ...customResourceDefinitions(installation),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: installationLabels(installation) } },
    ...render(sharedObjects, scope),
    ...parts.flatMap((part) => render(partObjects, partScope(scope, part))),
    ...(mirroring ? render(mirrorObjects, partScope(scope, mirroring)) : []),
  ];
}

/** The settings of a file for an installation, checked. */
export function readInstallConfig(path: string): JsonObject {
  loadConfig(path);
  const config = readConfig(path);
  const own = ['installation', 'namespace', 'features', 'server'].filter((key) => Object.hasOwn(config, key));
  if (own.length > 0)
    throw new UsageError(
      'install-config',
      `${path}: leave out ${own.join(', ')}: the options --installation, --namespace and --features say it, and the pods serve on a fixed port`,
    );
  const fixed = Object.entries(fixedSettings).flatMap(([section, keys]) =>
    keys.filter((key) => hasKey(config[section], key)).map((key) => `${section}.${key}`),
  );
  if (fixed.length > 0)
    throw new UsageError(
      'install-config',
      `${path}: leave out ${fixed.join(', ')}: it follows from the Services of the installation`,
    );
  return config;
}

const hasKey = (section: unknown, key: string) => isJsonObject(section) && Object.hasOwn(section, key);

/** What runs if nothing is chosen. */
const featuresOf = ({ mirror }: ChartValues): readonly FeatureName[] => [
  ...defaultFeatures,
  ...(mirror.registry === '' ? [] : (['mirror'] as const)),
];

function partScope(scope: InstallScope, part: Part): InstallScope {
  const within = { ...scope, part };
  const settings = applyMergePatch(scope.values.config, evaluate(ownConfig, within));
  const config = renderYaml(settings, { sortKeys: true });
  return { ...within, config, configChecksum: checksumOf(config) };
}

/** The values of the chart that mean the same. */
function valuesOf(options: InstallOptions): ChartValues {
  const { backupRegistry = '', mirrorNamespaces = [], apiServerCidrs = [], detectionUsers = [] } = options;
  const values = chartValues.parse({
    replicas: options.replicas,
    mirror: { registry: backupRegistry, namespaces: mirrorNamespaces },
    webhook: { apiServerCidrs },
    detection: { users: detectionUsers },
    imagePullSecrets: (options.pullSecrets ?? []).map((name) => ({ name })),
  });
  // As it was given: the program applies the defaults.
  return { ...values, config: (options.config ?? {}) as ChartValues['config'] };
}
