import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { type Files, readObjects, type Written } from '../manifests/index.ts';
import { type KubeObject, parseApiVersion } from '../object/index.ts';
import type { Scopes } from './scope.ts';

/** Resources of one file as a cluster would store them: namespaces filled in, null maps made empty maps. */
export function readResources(files: Files, file: string, scopes: Scopes): readonly Written<KubeObject>[] {
  return readObjects(files, file).map((written) => ({ ...written, value: settle(written.value, scopes) }));
}

/** The object with its namespace: `default` if it has none, unless its kind is cluster-scoped. */
export function settle(object: KubeObject, scopes: Scopes): KubeObject {
  const filled = fillMaps(object as unknown as JsonObject) as unknown as KubeObject;
  if (filled.metadata.namespace || scopes.isClusterScoped(object.apiVersion, object.kind)) return filled;
  return { ...filled, metadata: { ...filled.metadata, namespace: 'default' } };
}

const mapFields = new Set(['annotations', 'labels', 'matchLabels', 'nodeSelector', 'data', 'stringData']);

/** `labels:` without a value is an empty map. */
function fillMaps<T extends Json>(value: T): T {
  if (Array.isArray(value)) {
    let changed: Json[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      if (typeof item !== 'object') continue;
      const filled = fillMaps(item);
      if (filled !== item) (changed ??= [...value])[index] = filled;
    }
    return (changed as T | undefined) ?? value;
  }
  if (!isJsonObject(value)) return value;
  let changed: Record<string, Json> | undefined;
  // Runs over every field of every resource: `for in` allocates no list of keys.
  for (const key in value) {
    const field = value[key];
    if (typeof field !== 'object') continue;
    const filled = field === null && mapFields.has(key) ? {} : fillMaps(field as Json);
    if (filled !== field) (changed ??= { ...value } as Record<string, Json>)[key] = filled;
  }
  return (changed as T | undefined) ?? value;
}

/** Of objects with the same group, kind, namespace and name, only the first. */
export function withoutDuplicates(resources: readonly KubeObject[]): readonly KubeObject[] {
  const seen = new Map<string, KubeObject>();
  for (const resource of resources) {
    const { group } = parseApiVersion(resource.apiVersion);
    const key = JSON.stringify([group, resource.kind, resource.metadata.namespace, resource.metadata.name]);
    if (!seen.has(key)) seen.set(key, resource);
  }
  return [...seen.values()];
}

/** `Pod/default/web`. */
export function resourceName({ kind, metadata: { namespace, name, generateName } }: KubeObject): string {
  const shown = name ?? (generateName === undefined ? '' : `${generateName}*`);
  return namespace ? `${kind}/${namespace}/${shown}` : `${kind}/${shown}`;
}
