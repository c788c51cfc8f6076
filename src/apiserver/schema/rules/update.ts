import { type FieldError, forbidden, invalid } from '../field-error.ts';
import { Path } from '../path.ts';
import {
  type Fields,
  isObject,
  isUnset,
  listIn,
  numberIn,
  objectIn,
  stringIn,
  withField,
  withoutField,
} from '../value.ts';
import { checkImmutable, isSame } from './metadata.ts';

/** What may not change when an object of a kind is replaced. */
type UpdateRule = (old: Fields, updated: Fields, errors: FieldError[]) => void;

const specPath = Path.of('spec');

const immutableInSpec =
  (...keys: string[]): UpdateRule =>
  (old, updated, errors) => {
    const before = objectIn(old, 'spec');
    const after = objectIn(updated, 'spec');
    for (const key of keys) checkImmutable(before?.[key], after?.[key], specPath.child(key), errors);
  };

const podFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

const pod: UpdateRule = (old, updated, errors) => {
  const before = objectIn(old, 'spec') ?? {};
  const after = objectIn(updated, 'spec') ?? {};
  for (const key of ['containers', 'initContainers']) {
    if (listIn(before, key).length !== listIn(after, key).length) {
      errors.push(forbidden(specPath.child(key), 'pod updates may not add or remove containers'));
      return;
    }
  }
  checkDeadline(before, after, errors);
  checkTolerations(before, after, errors);
  let allowed = after;
  for (const key of ['containers', 'initContainers'])
    allowed = withField(allowed, key, withOldImages(before, after, key));
  for (const key of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'])
    allowed = copyField(before, allowed, key);
  const grace = numberIn(before, 'terminationGracePeriodSeconds');
  if (grace !== undefined && grace < 0 && after['terminationGracePeriodSeconds'] === 1) {
    allowed = copyField(before, allowed, 'terminationGracePeriodSeconds');
  }
  // A gated pod is not scheduled yet: where it may go can still be narrowed.
  if (listIn(before, 'schedulingGates').length > 0) {
    for (const key of ['nodeSelector', 'affinity']) allowed = copyField(before, allowed, key);
  }
  const changed = changedFields(before, allowed);
  if (changed.length === 0) return;
  const detail = `pod updates may not change fields other than ${podFields.join(',')}\nchanged: ${changed.join(', ')}`;
  errors.push(forbidden(specPath, detail));
};

function checkDeadline(before: Fields, after: Fields, errors: FieldError[]): void {
  const where = specPath.child('activeDeadlineSeconds');
  const was = numberIn(before, 'activeDeadlineSeconds');
  const is = numberIn(after, 'activeDeadlineSeconds');
  if (was === undefined) return;
  if (is === undefined) errors.push(invalid(where, null, 'must not update from a positive integer to nil value'));
  else if (was < is) errors.push(invalid(where, is, 'must be less than or equal to previous value'));
}

function checkTolerations(before: Fields, after: Fields, errors: FieldError[]): void {
  const current = listIn(after, 'tolerations').filter(isObject);
  const isKept = (toleration: unknown) =>
    isObject(toleration) &&
    current.some((other) =>
      isSame(withoutField(toleration, 'tolerationSeconds'), withoutField(other, 'tolerationSeconds')),
    );
  if (listIn(before, 'tolerations').every(isKept)) return;
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  errors.push(forbidden(specPath.child('tolerations'), detail));
}

function withOldImages(before: Fields, after: Fields, key: string): unknown {
  const old = listIn(before, key);
  if (after[key] === undefined) return undefined;
  return listIn(after, key).map((container, i) => copyField(old[i] as Fields, container as Fields, 'image'));
}

/** `to` with the field as it is in `from`. */
function copyField(from: Fields, to: Fields, key: string): Fields {
  return from[key] === undefined ? withoutField(to, key) : withField(to, key, from[key]);
}

function changedFields(before: Fields, after: Fields): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isSame(before[key], after[key])).map((key) => `spec.${key}`);
}

const statefulSet: UpdateRule = (old, updated, errors) => {
  const mutable = [
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ];
  const before = objectIn(old, 'spec') ?? {};
  let after = objectIn(updated, 'spec') ?? {};
  for (const key of mutable) after = copyField(before, after, key);
  if (changedFields(before, after).length === 0) return;
  const list = mutable.slice(0, -1).map((key) => `'${key}'`);
  const detail = `updates to statefulset spec for fields other than ${list.join(', ')} and 'minReadySeconds' are forbidden`;
  errors.push(forbidden(specPath, detail));
};

const job: UpdateRule = (old, updated, errors) => {
  const before = objectIn(old, 'spec') ?? {};
  const after = objectIn(updated, 'spec') ?? {};
  const isIndexed = after['completionMode'] === 'Indexed';
  // An elastic Job may change both numbers together; any other keeps its completions.
  const isElastic = isIndexed && isSame(after['completions'], after['parallelism']) && !isUnset(before['completions']);
  if (!isElastic) checkImmutable(before['completions'], after['completions'], specPath.child('completions'), errors);
  checkImmutable(before['selector'], after['selector'], specPath.child('selector'), errors);
  // A Job that never started may still be given another place to run.
  const isWaiting = before['suspend'] === true && isUnset(objectIn(old, 'status')?.['startTime']);
  const template = isWaiting ? withSchedulingOf(before, after) : after['template'];
  if (!isSame(before['template'], template)) {
    errors.push(invalid(specPath.child('template'), after['template'], 'field is immutable'));
  }
  const fixed = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'];
  for (const key of fixed) checkImmutable(before[key], after[key], specPath.child(key), errors);
};

function withSchedulingOf(before: Fields, after: Fields): unknown {
  const old = objectIn(before, 'template') ?? {};
  const template = objectIn(after, 'template') ?? {};
  const oldSpec = objectIn(old, 'spec') ?? {};
  let spec = objectIn(template, 'spec') ?? {};
  for (const key of ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'])
    spec = copyField(oldSpec, spec, key);
  return copyField(old, { ...template, spec }, 'metadata');
}

const service: UpdateRule = (old, updated, errors) => {
  const before = objectIn(old, 'spec') ?? {};
  const after = objectIn(updated, 'spec') ?? {};
  // Leaving ExternalName or becoming one gives the addresses up.
  if (before['type'] === 'ExternalName' || after['type'] === 'ExternalName') return;
  const ips = listIn(before, 'clusterIPs');
  const first = ips[0] ?? before['clusterIP'];
  if (isUnset(first) || first === '') return;
  const now = listIn(after, 'clusterIPs')[0] ?? after['clusterIP'] ?? '';
  if (now === first) return;
  const where = specPath.child('clusterIPs').at(0);
  errors.push(
    invalid(
      where,
      listIn(after, 'clusterIPs').length > 0 ? listIn(after, 'clusterIPs') : [now],
      'may not change once set',
    ),
  );
};

const frozenWhenImmutable =
  (...keys: string[]): UpdateRule =>
  (old, updated, errors) => {
    if (old['immutable'] !== true) return;
    const detail = 'field is immutable when `immutable` is set';
    if (updated['immutable'] !== true) errors.push(forbidden('immutable', detail));
    for (const key of keys) if (!isSame(old[key], updated[key])) errors.push(forbidden(key, detail));
  };

const secret: UpdateRule = (old, updated, errors) => {
  checkImmutable(stringIn(old, 'type'), stringIn(updated, 'type'), Path.of('type'), errors);
  frozenWhenImmutable('data')(old, updated, errors);
};

const roleRef: UpdateRule = (old, updated, errors) => {
  if (!isSame(old['roleRef'], updated['roleRef'])) {
    const { apiGroup: APIGroup, kind: Kind, name: Name } = objectIn(updated, 'roleRef') ?? {};
    errors.push(invalid('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef'));
  }
};

const claim: UpdateRule = (old, updated, errors) => {
  const before = objectIn(old, 'spec') ?? {};
  let after = objectIn(updated, 'spec') ?? {};
  if (stringIn(before, 'volumeName') === '') after = copyField(before, after, 'volumeName');
  if (isUnset(before['storageClassName'])) after = copyField(before, after, 'storageClassName');
  if (objectIn(updated, 'status')?.['phase'] === 'Bound') {
    for (const key of ['resources', 'volumeAttributesClassName']) after = copyField(before, after, key);
  }
  const changed = changedFields(before, after);
  if (changed.length === 0) return;
  const detail =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  errors.push(forbidden(specPath, `${detail}\nchanged: ${changed.join(', ')}`));
};

const storageClass: UpdateRule = (old, updated, errors) => {
  for (const key of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    if (!isSame(old[key], updated[key])) errors.push(forbidden(key, `updates to ${key} are forbidden.`));
  }
};

export const updateRules: Readonly<Record<string, UpdateRule>> = {
  '/Pod': pod,
  '/Service': service,
  '/ConfigMap': frozenWhenImmutable('data', 'binaryData'),
  '/Secret': secret,
  '/PersistentVolumeClaim': claim,
  'apps/Deployment': immutableInSpec('selector'),
  'apps/ReplicaSet': immutableInSpec('selector'),
  'apps/DaemonSet': immutableInSpec('selector'),
  'apps/StatefulSet': statefulSet,
  'batch/Job': job,
  'rbac.authorization.k8s.io/RoleBinding': roleRef,
  'rbac.authorization.k8s.io/ClusterRoleBinding': roleRef,
  'storage.k8s.io/StorageClass': storageClass,
};
