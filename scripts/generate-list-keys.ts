// Writes which lists of the built-in kinds merge by key, from the recorded schemas.
//
// Kyverno merges with the schemas of Kubernetes 1.21, whatever the cluster's version: newer fields and kinds replace their
// lists, as custom resources do, and kinds that were removed since still merge. Policies rely on that, so the newer schemas
// are reduced here to what that version had.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/schema/generated/builtin.json', import.meta.url));
const output = fileURLToPath(new URL('../src/policy/mutate/generated/list-keys.json', import.meta.url));

const newerKinds = new Set([
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding',
  'authentication.k8s.io/v1/SelfSubjectReview',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'networking.k8s.io/v1/IPAddress',
  'networking.k8s.io/v1/ServiceCIDR',
  'policy/v1/Eviction',
  'storage.k8s.io/v1/CSIStorageCapacity',
  'storage.k8s.io/v1/VolumeAttributesClass',
  'v1/DeleteOptions',
]);

const newerFields = new Set([
  'ContainerStatus.allocatedResourcesStatus',
  'ContainerStatus.volumeMounts',
  'EphemeralContainer.ports',
  'JSONSchemaProps.x-kubernetes-validations',
  'MutatingWebhook.matchConditions',
  'PodSpec.resourceClaims',
  'PodSpec.schedulingGates',
  'PodStatus.hostIPs',
  'PodStatus.resourceClaimStatuses',
  'ValidatingWebhook.matchConditions',
]);

/** Removed versions, with the current kind that merges the same way. */
const formerKinds: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration':
    'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration':
    'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
  'batch/v1beta1/CronJob': 'batch/v1/CronJob',
  'policy/v1beta1/PodDisruptionBudget': 'policy/v1/PodDisruptionBudget',
  'storage.k8s.io/v1beta1/CSINode': 'storage.k8s.io/v1/CSINode',
};

/** Kinds that the recording lacks and that merge only their metadata. */
const metadataOnly = [
  'apiextensions.k8s.io/v1beta1/CustomResourceDefinition',
  'apiregistration.k8s.io/v1/APIService',
  'apiregistration.k8s.io/v1beta1/APIService',
  'authentication.k8s.io/v1beta1/TokenReview',
  'authorization.k8s.io/v1beta1/LocalSubjectAccessReview',
  'authorization.k8s.io/v1beta1/SelfSubjectAccessReview',
  'authorization.k8s.io/v1beta1/SelfSubjectRulesReview',
  'authorization.k8s.io/v1beta1/SubjectAccessReview',
  'autoscaling/v2beta1/HorizontalPodAutoscaler',
  'autoscaling/v2beta2/HorizontalPodAutoscaler',
  'certificates.k8s.io/v1beta1/CertificateSigningRequest',
  'coordination.k8s.io/v1beta1/Lease',
  'discovery.k8s.io/v1beta1/EndpointSlice',
  'events.k8s.io/v1beta1/Event',
  'extensions/v1beta1/Ingress',
  'flowcontrol.apiserver.k8s.io/v1beta1/FlowSchema',
  'flowcontrol.apiserver.k8s.io/v1beta1/PriorityLevelConfiguration',
  'networking.k8s.io/v1beta1/Ingress',
  'networking.k8s.io/v1beta1/IngressClass',
  'node.k8s.io/v1/RuntimeClass',
  'node.k8s.io/v1beta1/RuntimeClass',
  'policy/v1beta1/Eviction',
  'policy/v1beta1/PodSecurityPolicy',
  'rbac.authorization.k8s.io/v1beta1/ClusterRole',
  'rbac.authorization.k8s.io/v1beta1/ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1beta1/Role',
  'rbac.authorization.k8s.io/v1beta1/RoleBinding',
  'scheduling.k8s.io/v1beta1/PriorityClass',
  'storage.k8s.io/v1beta1/CSIDriver',
  'storage.k8s.io/v1beta1/CSIStorageCapacity',
  'storage.k8s.io/v1beta1/StorageClass',
  'storage.k8s.io/v1beta1/VolumeAttachment',
];

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

interface Recording {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly kinds: readonly { group: string; version: string; kind: string; definition: string }[];
}

/** `keys` only if the list merges (none for a list of plain values); `type` if something below merges. */
interface Field {
  keys?: readonly string[];
  type?: string;
}

const recording: Recording = JSON.parse(readFileSync(source, 'utf8'));
const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const types = new Map<string, Record<string, Field>>();
const visiting = new Set<string>();

const shortName = (definition: string) => definition.split('.').slice(-2).join('.');

function fieldOf(definition: string, name: string, schema: Schema): Field | undefined {
  if (newerFields.has(`${definition.split('.').at(-1)}.${name}`)) return undefined;
  const field: Field = {};
  if (schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') && schema.items) {
    const mergeKey = schema['x-kubernetes-patch-merge-key'];
    field.keys = schema['x-kubernetes-list-map-keys'] ?? (mergeKey === undefined ? [] : [mergeKey]);
  }
  const below = schema.$ref ?? (field.keys ? schema.items?.$ref : undefined);
  if (below !== undefined && merges(below)) field.type = shortName(below);
  return field.keys || field.type ? field : undefined;
}

/** True if anything in or below the definition merges; fills `types`. */
function merges(definition: string): boolean {
  if (types.has(shortName(definition))) return true;
  if (visiting.has(definition)) return false;
  visiting.add(definition);
  const fields: Record<string, Field> = {};
  for (const [name, schema] of Object.entries(recording.definitions[definition]?.properties ?? {})) {
    const field = fieldOf(definition, name, schema);
    if (field) fields[name] = field;
  }
  visiting.delete(definition);
  if (Object.keys(fields).length === 0) return false;
  types.set(shortName(definition), fields);
  return true;
}

const kinds = new Map<string, string>();
for (const { group, version, kind, definition } of recording.kinds) {
  const key = `${group === '' ? '' : `${group}/`}${version}/${kind}`;
  if (!newerKinds.has(key) && merges(definition)) kinds.set(key, shortName(definition));
}
for (const [former, today] of Object.entries(formerKinds)) kinds.set(former, kinds.get(today)!);
types.set('MetadataOnly', { metadata: { type: shortName(objectMeta) } });
for (const kind of metadataOnly) kinds.set(kind, 'MetadataOnly');
// Many kinds have only metadata: they share one type.
const bare = JSON.stringify(types.get('MetadataOnly'));
for (const [kind, type] of kinds) if (JSON.stringify(types.get(type)) === bare) kinds.set(kind, 'MetadataOnly');

const used = new Set(kinds.values());
for (const type of used) for (const field of Object.values(types.get(type) ?? {})) if (field.type) used.add(field.type);
const sorted = <V>(entries: Iterable<[string, V]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
const lines = (entries: readonly [string, unknown][]) =>
  entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',\n');
mkdirSync(path.dirname(output), { recursive: true });
const usedTypes = sorted(types).filter(([name]) => used.has(name));
writeFileSync(output, `{"types":{\n${lines(usedTypes)}\n},"kinds":{\n${lines(sorted(kinds))}\n}}\n`);
