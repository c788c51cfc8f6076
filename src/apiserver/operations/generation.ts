import { deepEqual, type KubeObject } from '../../object/index.ts';
import { hasSubresource, type ResourceDefinition } from '../resources/definition.ts';

/**
 * True when two versions of an object differ in anything that the generation counts: all except metadata and status.
 */
export function bodyChanged(before: KubeObject, after: KubeObject, definition: ResourceDefinition): boolean {
  const ignoresStatus = !definition.custom || hasSubresource(definition, 'status');
  const counts = (field: string) =>
    field !== 'metadata' && field !== 'apiVersion' && !(ignoresStatus && field === 'status');
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (counts(field) && before[field] !== after[field] && !deepEqual(before[field], after[field])) return true;
  }
  return false;
}

/** True when the two differ at most in their resourceVersion. */
export function isSameObject(before: KubeObject, after: KubeObject): boolean {
  return deepEqual(withoutVersion(before), withoutVersion(after));
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
