import { isJsonObject, type JsonObject } from '../base/index.ts';
import { deepEqual } from '../object/index.ts';
import type { AdmissionRequest } from '../webhook/index.ts';

/**
 * True for an update of an object under deletion that changes its metadata alone: finalizers and annotations of
 * controllers must always be removable. A changed spec is evaluated like any other: the object still runs.
 */
export function isMetadataUpdateUnderDeletion(request: AdmissionRequest): boolean {
  const { operation, object, oldObject, subResource, resource } = request;
  // Only the stored object is trusted: the client controls the new one.
  if (operation !== 'UPDATE' || !isUnderDeletion(oldObject)) return false;
  // The last finalizers of a Namespace are in its spec, and written through this subresource only.
  if (subResource === 'finalize' && resource.group === '' && resource.resource === 'namespaces') return true;
  return object !== undefined && oldObject !== undefined && isSameContent(object, oldObject);
}

function isUnderDeletion(object: JsonObject | undefined): boolean {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) && metadata['deletionTimestamp'] != null;
}

function isSameContent(object: JsonObject, oldObject: JsonObject): boolean {
  const { metadata: _, ...content } = object;
  const { metadata: __, ...oldContent } = oldObject;
  return deepEqual(content, oldContent);
}
