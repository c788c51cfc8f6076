import { isJsonObject } from '../../base/index.ts';
import { PolicyError } from '../errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the checks look at: a pod, or the template of one. */
export interface Pod {
  readonly annotations: Fields;
  readonly spec: Fields;
  readonly initContainers: readonly Fields[];
  readonly containers: readonly Fields[];
  readonly ephemeralContainers: readonly Fields[];
}

export type ContainerType = 'initContainers' | 'containers' | 'ephemeralContainers';

/** The order in which every check visits them. */
const containerTypes: readonly ContainerType[] = ['initContainers', 'containers', 'ephemeralContainers'];

const templateKinds = new Set(['DaemonSet', 'Deployment', 'Job', 'StatefulSet', 'ReplicaSet', 'ReplicationController']);

/** Where a kind keeps its pod: the prefix that the template's fields have, nothing for a kind that has none. */
export function templatePath(kind: unknown): 'pod' | 'template' | 'jobTemplate' | undefined {
  if (kind === 'Pod') return 'pod';
  if (kind === 'CronJob') return 'jobTemplate';
  return typeof kind === 'string' && templateKinds.has(kind) ? 'template' : undefined;
}

/** The pod in a Pod, a controller or a CronJob; throws a PolicyError for any other kind. */
export function podOf(resource: unknown): Pod {
  const object = fieldsOf(resource);
  const spec = fieldsOf(object['spec']);
  switch (templatePath(object['kind'])) {
    case 'pod':
      return readPod(object['metadata'], spec);
    case 'template':
      return readPod(fieldsOf(spec['template'])['metadata'], fieldsOf(fieldsOf(spec['template'])['spec']));
    case 'jobTemplate': {
      const job = fieldsOf(spec['jobTemplate']);
      // The metadata of the job, not of the pod: upstream reads a CronJob's annotations there.
      return readPod(job['metadata'], fieldsOf(fieldsOf(fieldsOf(job['spec'])['template'])['spec']));
    }
    default:
      throw new PolicyError('policy-pod-security-kind', 'could not find correct resource type');
  }
}

/** Builds what the checks need of metadata and a pod's spec. */
function readPod(metadata: unknown, spec: Fields): Pod {
  return {
    annotations: fieldsOf(fieldsOf(metadata)['annotations']),
    spec,
    initContainers: listOf(spec, 'initContainers'),
    containers: listOf(spec, 'containers'),
    ephemeralContainers: listOf(spec, 'ephemeralContainers'),
  };
}

export interface Container {
  readonly name: string;
  readonly path: string;
  readonly fields: Fields;
  readonly securityContext: Fields | undefined;
}

/** Init containers first, then containers, then ephemeral ones. */
export function containersOf(pod: Pod): readonly Container[] {
  return containerTypes.flatMap((type) =>
    pod[type].map((fields, index) => ({
      name: text(fields, 'name'),
      path: `spec.${type}[${index}]`,
      fields,
      securityContext: optional(fields, 'securityContext'),
    })),
  );
}

/** An object, empty where there is none. */
function fieldsOf(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw wrongType('object', value);
  return value;
}

export function optional(fields: Fields, key: string): Fields | undefined {
  const value = fields[key];
  return value === undefined || value === null ? undefined : fieldsOf(value);
}

export function listOf(fields: Fields, key: string): readonly Fields[] {
  return itemsOf(fields, key).map(fieldsOf);
}

export function textsOf(fields: Fields, key: string): readonly string[] {
  return itemsOf(fields, key).map((item) => {
    if (typeof item !== 'string') throw wrongType('string', item);
    return item;
  });
}

function itemsOf(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType('list', value);
  return value;
}

/** A text, empty where there is none. */
export function text(fields: Fields, key: string): string {
  const value = fields[key] ?? '';
  if (typeof value !== 'string') throw wrongType('string', value);
  return value;
}

export function flag(fields: Fields | undefined, key: string): boolean | undefined {
  const value = fields?.[key] ?? undefined;
  if (value !== undefined && typeof value !== 'boolean') throw wrongType('boolean', value);
  return value;
}

export function integer(fields: Fields | undefined, key: string): number | undefined {
  const value = fields?.[key] ?? undefined;
  if (value !== undefined && typeof value !== 'number') throw wrongType('number', value);
  return value;
}

/** A pod that no API server would accept is not checked: as upstream, the rule ends in an error. */
function wrongType(expected: string, found: unknown): PolicyError {
  const got = Array.isArray(found) ? 'list' : typeof found;
  return new PolicyError('policy-pod-security-type', `the pod has a ${got} where a ${expected} belongs`);
}
