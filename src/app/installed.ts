import { isJsonObject, parseYaml } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

const deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

/** One Deployment of an installation. */
export interface InstalledPart {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  /** As its configuration says; undefined where that cannot be read. */
  readonly features?: readonly string[];
}

interface DeploymentObject extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly { readonly image?: string }[];
        readonly volumes?: readonly { readonly configMap?: { readonly name?: string } }[];
      };
    };
  };
  readonly status?: { readonly readyReplicas?: number };
}

/**
 * The parts of all installations in the cluster, or of those in one namespace; undefined without the permission to list
 * Deployments there.
 */
export async function findInstalledParts(
  client: KubeClient,
  signal: AbortSignal,
  namespace?: string,
): Promise<readonly InstalledPart[] | undefined> {
  try {
    const labelSelector = 'app.kubernetes.io/name=supercargo';
    const place = namespace === undefined ? {} : { namespace };
    const { items } = await client.list<DeploymentObject>(deployments, { ...place, labelSelector, signal });
    return await Promise.all(items.map((deployment) => describe(client, deployment, signal)));
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-forbidden')) return undefined;
    throw thrown;
  }
}

async function describe(
  client: KubeClient,
  { metadata, spec, status }: DeploymentObject,
  signal: AbortSignal,
): Promise<InstalledPart> {
  const pod = spec?.template?.spec;
  const namespace = metadata.namespace ?? '';
  const configMap = pod?.volumes?.find((volume) => volume.configMap)?.configMap?.name;
  const features =
    configMap === undefined ? undefined : await featuresIn(client, { namespace, name: configMap }, signal);
  return {
    namespace,
    name: metadata.name ?? '',
    image: pod?.containers?.[0]?.image ?? '',
    replicas: spec?.replicas ?? 1,
    readyReplicas: status?.readyReplicas ?? 0,
    ...(features ? { features } : {}),
  };
}

async function featuresIn(
  client: KubeClient,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { data } = await client.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
      configMaps,
      key,
      { signal },
    );
    const config = parseYaml(Object.values(data ?? {})[0] ?? '', { file: key.name });
    const features = isJsonObject(config) ? config['features'] : undefined;
    return Array.isArray(features) ? features.map(String) : undefined;
  } catch {
    // The version is worth showing without it.
    return undefined;
  }
}
