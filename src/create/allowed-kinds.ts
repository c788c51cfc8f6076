import { isJsonObject } from '../base/index.ts';
import { parseApiVersion } from '../object/index.ts';

/** Cluster-scoped kinds that every Kubernetes has, by group; `*` is all of a group. */
const clusterScoped: Readonly<Record<string, readonly string[]>> = {
  '': ['Namespace', 'Node', 'PersistentVolume', 'ComponentStatus'],
  'admissionregistration.k8s.io': ['*'],
  'apiextensions.k8s.io': ['*'],
  'apiregistration.k8s.io': ['*'],
  'authentication.k8s.io': ['*'],
  'authorization.k8s.io': ['SubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
  'certificates.k8s.io': ['CertificateSigningRequest', 'ClusterTrustBundle'],
  'flowcontrol.apiserver.k8s.io': ['*'],
  'internal.apiserver.k8s.io': ['*'],
  'networking.k8s.io': ['IngressClass', 'IPAddress', 'ServiceCIDR'],
  'node.k8s.io': ['*'],
  policy: ['PodSecurityPolicy'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding'],
  'resource.k8s.io': ['DeviceClass', 'ResourceSlice', 'DeviceTaintRule'],
  'scheduling.k8s.io': ['*'],
  'storage.k8s.io': ['StorageClass', 'CSIDriver', 'CSINode', 'VolumeAttachment', 'VolumeAttributesClass'],
  'storagemigration.k8s.io': ['*'],
};

/** A kind with its group: `apps/Deployment`, `Service` for the core group. */
interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * The kinds in a rendered document that a template may not write, as `group/Kind`. Without a list these are the
 * built-in cluster-scoped ones: a template of one team must not reach the whole cluster.
 */
export function findRefusedKinds(document: unknown, allowed: readonly string[] | undefined): readonly string[] {
  return kindsOf(document)
    .filter((one) => !isAllowed(one, allowed))
    .map(({ group, kind }) => (group === '' ? kind : `${group}/${kind}`));
}

function isAllowed({ group, kind }: NamedKind, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) {
    const kinds = Object.hasOwn(clusterScoped, group) ? clusterScoped[group]! : [];
    return !kinds.includes('*') && !kinds.includes(kind);
  }
  return allowed.some((entry) => {
    const slash = entry.lastIndexOf('/');
    const [ofGroup, ofKind] = slash === -1 ? ['', entry] : [entry.slice(0, slash), entry.slice(slash + 1)];
    return entry === '*' || (ofGroup === group && (ofKind === '*' || ofKind === kind));
  });
}

/** kubectl and GitOps tools apply the items of a list as objects of their own. */
function kindsOf(document: unknown, depth = 0): readonly NamedKind[] {
  if (!isJsonObject(document)) return [];
  const { apiVersion, kind, items } = document;
  if (typeof kind !== 'string') return [];
  const isList = kind.endsWith('List') && Array.isArray(items);
  if (isList && depth < maxListDepth) return items.flatMap((item) => kindsOf(item, depth + 1));
  return [{ group: typeof apiVersion === 'string' ? parseApiVersion(apiVersion).group : '', kind }];
}

const maxListDepth = 10;
