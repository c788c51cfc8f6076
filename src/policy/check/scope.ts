import { parseApiVersion } from '../../object/index.ts';

/** Whether a kind is cluster-scoped; undefined if it is not known. */
export type ScopeOf = (apiVersion: string, kind: string) => boolean | undefined;

/** Groups all of whose kinds are known here, with those of their kinds that have no namespace. */
const clusterKinds: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    '': ['Namespace', 'Node', 'PersistentVolume', 'ComponentStatus'],
    apps: [],
    batch: [],
    autoscaling: [],
    'events.k8s.io': [],
    'discovery.k8s.io': [],
    'coordination.k8s.io': [],
    policy: ['PodSecurityPolicy'],
    'networking.k8s.io': ['IngressClass', 'IPAddress', 'ServiceCIDR'],
    'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding'],
    'storage.k8s.io': ['StorageClass', 'VolumeAttachment', 'CSIDriver', 'CSINode', 'VolumeAttributesClass'],
    'scheduling.k8s.io': ['PriorityClass'],
    'node.k8s.io': ['RuntimeClass'],
    'certificates.k8s.io': ['CertificateSigningRequest', 'ClusterTrustBundle'],
    'apiextensions.k8s.io': ['CustomResourceDefinition'],
    'apiregistration.k8s.io': ['APIService'],
    'flowcontrol.apiserver.k8s.io': ['FlowSchema', 'PriorityLevelConfiguration'],
    'admissionregistration.k8s.io': [
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
    ],
  }).map(([group, kinds]) => [group, new Set(kinds)]),
);

const clusterKindNames: ReadonlySet<string> = new Set([...clusterKinds.values()].flatMap((kinds) => [...kinds]));

/** The scopes of the built-in kinds; those of custom resources are known only to a cluster. */
export const builtInScope: ScopeOf = (apiVersion, kind) => {
  if (apiVersion === '' || apiVersion.includes('*')) return clusterKindNames.has(kind) || undefined;
  return clusterKinds.get(parseApiVersion(apiVersion).group)?.has(kind);
};
