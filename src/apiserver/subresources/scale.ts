import { isJsonObject } from '../../base/index.ts';
import type { KubeObject, LabelSelector } from '../../object/index.ts';
import type { ResourceDefinition, ScalePaths } from '../resources/definition.ts';
import { statusError } from '../status.ts';

/** The autoscaling/v1 Scale view of an object. */
export function scaleOf(object: KubeObject, definition: ResourceDefinition): KubeObject {
  const paths = pathsOf(definition);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.labelSelectorPath ? read(object, paths.labelSelectorPath) : undefined;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject['metadata'],
    spec: { replicas: Number(read(object, paths.specReplicasPath) ?? 0) },
    status: {
      replicas: Number(read(object, paths.statusReplicasPath) ?? 0),
      ...(selector === undefined ? {} : { selector: selectorText(selector) }),
    },
  };
}

/** The object with the replicas of a Scale that a client sent. */
export function withScale(object: KubeObject, scale: unknown, definition: ResourceDefinition): KubeObject {
  const spec = isJsonObject(scale) && isJsonObject(scale['spec']) ? scale['spec'] : {};
  const replicas = spec['replicas'] ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    throw statusError(
      422,
      `Scale.autoscaling "${object.metadata.name}" is invalid: spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    );
  }
  const sent = isJsonObject(scale) && isJsonObject(scale['metadata']) ? scale['metadata'] : {};
  const scaled = write(object, partsOf(pathsOf(definition).specReplicasPath), replicas) as KubeObject;
  const version = sent['resourceVersion'];
  if (typeof version !== 'string' || version === '') return scaled;
  return { ...scaled, metadata: { ...scaled.metadata, resourceVersion: version } };
}

function pathsOf({ scale }: ResourceDefinition): ScalePaths {
  if (!scale) throw statusError(404, 'the server could not find the requested resource');
  return scale;
}

const partsOf = (path: string) => path.split('.').filter((part) => part !== '');

function read(object: unknown, path: string): unknown {
  return partsOf(path).reduce<unknown>((value, part) => (isJsonObject(value) ? value[part] : undefined), object);
}

function write(object: unknown, [head, ...rest]: readonly string[], value: unknown): unknown {
  if (head === undefined) return value;
  const fields = isJsonObject(object) ? object : {};
  return { ...fields, [head]: write(fields[head], rest, value) };
}

function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  const { matchLabels = {}, matchExpressions = [] } = selector as LabelSelector;
  const equalities = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const others = (matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${[...(values ?? [])].sort().join(',')})`;
  });
  return [...equalities, ...others].sort().join(',');
}
