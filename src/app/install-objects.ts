import { ownerLabel } from '../api/index.ts';
import { isKubeError, type KubeClient, type ListOptions, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  chartOnly,
  entries,
  type InstallTemplate,
  installation,
  joined,
  partName,
  scalar,
  value,
} from './chart/scope.ts';
import { detectionAdmissionName } from './features/create-admission.ts';

type Labels = Readonly<Record<string, string>>;

/** The labels of every object of an installation. */
export const installationLabels = (installation: string): Labels => ({
  'app.kubernetes.io/name': 'supercargo',
  'app.kubernetes.io/instance': installation,
  [ownerLabel]: installation,
});

const ownLabels: Readonly<Record<string, InstallTemplate>> = {
  'app.kubernetes.io/name': 'supercargo',
  'app.kubernetes.io/instance': scalar(installation),
  [ownerLabel]: scalar(installation),
};
const chartLabels = {
  'helm.sh/chart': chartOnly(scalar({ helm: '(printf "%s-%s" $.Chart.Name $.Chart.Version)', read: () => '' })),
  'app.kubernetes.io/managed-by': chartOnly(scalar({ helm: '$.Release.Service', read: () => '' })),
};
const componentLabel = { 'app.kubernetes.io/component': scalar(partName) };
const extraLabels = value('extraLabels');

/** The labels of objects of the whole installation, and of those of a part. */
export const sharedLabels = (more: Readonly<Record<string, InstallTemplate>> = {}) =>
  entries({ ...ownLabels, ...more, ...chartLabels }, extraLabels);
export const partLabels = (more: Readonly<Record<string, InstallTemplate>> = {}) =>
  entries({ ...ownLabels, ...componentLabel, ...more, ...chartLabels }, extraLabels);
/** The pod selector of a part. */
export const partSelector = {
  'app.kubernetes.io/name': 'supercargo',
  'app.kubernetes.io/instance': scalar(installation),
  ...componentLabel,
};

/** The name of a part's objects in our namespace. */
export const partFullName = joined`${installation}-${partName}`;

const pullSecretsRole = (installation: string) => `${installation}-pull-secrets`;

/** What was done with one object. */
interface ObjectAction {
  readonly action: 'applied' | 'removed' | 'kept' | 'absent';
  readonly object: string;
  readonly reason?: string;
}

export type OnObjectAction = (step: ObjectAction) => void;

export interface InstallationPlace {
  readonly installation: string;
  readonly namespace: string;
}

const type = (group: string, kind: string, namespaced = true): ResourceType => ({
  group,
  version: 'v1',
  resource: `${kind.toLowerCase()}s`.replace(/ys$/, 'ies'),
  kind,
  namespaced,
});
const rbac = 'rbac.authorization.k8s.io';

/** The kinds of an installation, in order of removal: permissions are removed after the program that uses them. */
export const installedTypes: readonly ResourceType[] = [
  type('apps', 'Deployment'),
  type('policy', 'PodDisruptionBudget'),
  type('networking.k8s.io', 'NetworkPolicy'),
  ...['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy'].map((kind) =>
    type('admissionregistration.k8s.io', kind, false),
  ),
  ...['Service', 'Secret', 'ConfigMap'].map((kind) => type('', kind)),
  ...['ClusterRoleBinding', 'ClusterRole'].map((kind) => type(rbac, kind, false)),
  ...['RoleBinding', 'Role'].map((kind) => type(rbac, kind)),
  type('', 'ServiceAccount'),
];

export interface InstalledObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/**
 * The objects of the installation in this namespace, with their permissions anywhere. Installations of the same name in
 * other namespaces have the same labels; they are told apart by namespace, name or subject.
 */
export async function listInstalled(
  client: KubeClient,
  place: InstallationPlace,
  types = installedTypes,
): Promise<readonly InstalledObject[]> {
  const labelSelector = Object.entries(installationLabels(place.installation))
    .map(([key, value]) => `${key}=${value}`)
    .join();
  const found: InstalledObject[] = [];
  let isShared = false;
  for (const one of types) {
    const isEverywhere = !one.namespaced || one.kind === 'RoleBinding';
    const items = await listServed(client, one, {
      labelSelector,
      ...(isEverywhere ? {} : { namespace: place.namespace }),
    });
    for (const object of items) {
      if (belongsHere(object, place)) found.push({ type: one, object });
      else if (object.kind === 'RoleBinding') isShared = true;
    }
  }
  // Another installation of the same name may still use the role.
  return found.filter(({ object }) => !(isShared && isPullSecretsRole(object, place)));
}

/** Empty for a kind that this API server does not serve. */
async function listServed(client: KubeClient, of: ResourceType, options: ListOptions): Promise<readonly KubeObject[]> {
  try {
    return (await client.list<KubeObject>(of, options)).items;
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return [];
    throw thrown;
  }
}

function belongsHere(object: KubeObject, place: InstallationPlace): boolean {
  const { name = '' } = object.metadata;
  const prefix = `${place.installation}:${place.namespace}`;
  if (object.kind === 'RoleBinding') {
    const subjects = (object['subjects'] ?? []) as readonly { readonly namespace?: string }[];
    return subjects.every(({ namespace }) => namespace === place.namespace);
  }
  if (object.metadata.namespace !== undefined) return true;
  return (
    name === prefix ||
    name.startsWith(`${prefix}:`) ||
    name === detectionAdmissionName(place) ||
    isPullSecretsRole(object, place)
  );
}

const isPullSecretsRole = ({ kind, metadata }: KubeObject, { installation }: InstallationPlace) =>
  kind === 'ClusterRole' && metadata.name === pullSecretsRole(installation);

export const keyOf = ({ metadata }: KubeObject) => ({ name: metadata.name!, namespace: metadata.namespace });
export const describeObject = ({ kind, metadata }: KubeObject) => `${kind.toLowerCase()}/${metadata.name}`;

export async function removeObject(client: KubeClient, { type: of, object }: InstalledObject): Promise<void> {
  await client.delete(of, keyOf(object), {
    propagationPolicy: 'Background',
    preconditions: { uid: object.metadata.uid! },
  });
}
