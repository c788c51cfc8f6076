import { isJsonObject } from '../base/index.ts';
import { type KubeObject, semanticEqual } from '../object/index.ts';
import { originAnnotation } from './origin.ts';

/** Maps that the author owns completely: an added key is a change. In other fields it may be a default. */
const wholeFields: ReadonlySet<string> = new Set(['data', 'binaryData']);

/**
 * Whether an object still matches what its rule wants. Fields added by the server and other controllers are ignored.
 */
export function isAsWanted(wanted: KubeObject, actual: KubeObject): boolean {
  const { metadata, status: _, ...fields } = wanted;
  const { [originAnnotation]: __, ...annotations } = metadata.annotations ?? {};
  return (
    isWithin(metadata.labels, actual.metadata.labels) &&
    isWithin(annotations, actual.metadata.annotations) &&
    Object.entries(fields).every(([key, value]) =>
      wholeFields.has(key) ? semanticEqual(value, actual[key]) : isWithin(value, actual[key]),
    )
  );
}

function isWithin(wanted: unknown, actual: unknown): boolean {
  if (isJsonObject(wanted)) {
    if (!isJsonObject(actual)) return semanticEqual(wanted, actual);
    return Object.entries(wanted).every(([key, value]) => isWithin(value, actual[key]));
  }
  if (!Array.isArray(wanted)) return semanticEqual(wanted, actual);
  if (!Array.isArray(actual)) return semanticEqual(wanted, actual);
  return wanted.length === actual.length && wanted.every((item, i) => isWithin(item, actual[i]));
}

/** What to write over `actual`, with its resource version as precondition. Labels of others are kept. */
export function renewed(wanted: KubeObject, actual: KubeObject): KubeObject {
  const { uid, resourceVersion, creationTimestamp, finalizers, ownerReferences } = actual.metadata;
  return {
    ...wanted,
    metadata: {
      ...wanted.metadata,
      labels: { ...actual.metadata.labels, ...wanted.metadata.labels },
      annotations: { ...actual.metadata.annotations, ...wanted.metadata.annotations },
      ...(finalizers ? { finalizers } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
  };
}
