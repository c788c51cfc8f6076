import { isJsonObject } from '../base/index.ts';
import { type KubeObject, parseApiVersion } from '../object/index.ts';
import { guessPlural } from '../policy/index.ts';
import { type Schema, schemaOfDefinition } from '../schema/index.ts';

/** The cluster-scoped kinds. An unknown kind counts as namespaced. */
export interface Scopes {
  isClusterScoped(apiVersion: string, kind: string): boolean;
  /** The plural for URLs. */
  pluralOf(apiVersion: string, kind: string): string;
  /** The schema of a custom kind whose definition is given. */
  schemaOf(apiVersion: string, kind: string): Schema | undefined;
}

const clusterScoped: Readonly<Record<string, readonly string[]>> = {
  '': ['ComponentStatus', 'Namespace', 'Node', 'PersistentVolume'],
  'admissionregistration.k8s.io': [
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io': ['CustomResourceDefinition'],
  'apiregistration.k8s.io': ['APIService'],
  'authentication.k8s.io': ['SelfSubjectReview', 'TokenReview'],
  'authorization.k8s.io': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
  'certificates.k8s.io': ['CertificateSigningRequest', 'ClusterTrustBundle'],
  'flowcontrol.apiserver.k8s.io': ['FlowSchema', 'PriorityLevelConfiguration'],
  'networking.k8s.io': ['IPAddress', 'IngressClass', 'ServiceCIDR'],
  'node.k8s.io': ['RuntimeClass'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding'],
  'resource.k8s.io': ['DeviceClass', 'ResourceSlice'],
  'scheduling.k8s.io': ['PriorityClass'],
  'storage.k8s.io': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
};

interface Custom {
  readonly plural: string;
  readonly isClusterScoped: boolean;
  readonly definition: KubeObject;
}

const keyOf = (group: string, kind: string) => `${group}/${kind}`;

/** The built-in kinds, and those of the given custom resource definitions. */
export function scopesOf(definitions: readonly KubeObject[] = []): Scopes {
  const custom = new Map(definitions.flatMap((definition) => customKind(definition)));
  return {
    isClusterScoped(apiVersion, kind) {
      const { group } = parseApiVersion(apiVersion);
      return custom.get(keyOf(group, kind))?.isClusterScoped ?? clusterScoped[group]?.includes(kind) ?? false;
    },
    pluralOf: (apiVersion, kind) =>
      custom.get(keyOf(parseApiVersion(apiVersion).group, kind))?.plural ?? guessPlural(kind),
    schemaOf(apiVersion, kind) {
      const { group, version } = parseApiVersion(apiVersion);
      const definition = custom.get(keyOf(group, kind))?.definition;
      return definition && schemaOfDefinition(definition, version);
    },
  };
}

export const isDefinition = ({ apiVersion, kind }: KubeObject) =>
  kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');

function customKind(definition: KubeObject): [string, Custom][] {
  const spec = definition['spec'];
  if (!isDefinition(definition) || !isJsonObject(spec) || !isJsonObject(spec['names'])) return [];
  const { kind, plural } = spec['names'];
  return [
    [
      keyOf(String(spec['group']), String(kind)),
      { plural: String(plural), isClusterScoped: spec['scope'] === 'Cluster', definition },
    ],
  ];
}
