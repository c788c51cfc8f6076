import { isJsonObject, type Json } from '../base/index.ts';
import { type KubeObject, renderApiVersion } from '../object/index.ts';
import { badResponse, type RequestLine } from './errors.ts';
import type { TransportResponse } from './transport.ts';
import type { ObjectList, ResourceType } from './types.ts';

/** The Accept header for metadata without bodies; a server without support returns whole objects. */
export const metadataAccept = (form: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string =>
  `application/json;as=${form};g=meta.k8s.io;v=v1,application/json`;

/** The object with the type's apiVersion and kind where it has none or only PartialObjectMetadata. */
export function named<T extends KubeObject>(object: Readonly<Record<string, unknown>>, type: ResourceType): T {
  if (typeof object['kind'] === 'string' && object['kind'] !== 'PartialObjectMetadata') return object as unknown as T;
  const { apiVersion: _, kind: __, ...rest } = object;
  return { apiVersion: renderApiVersion(type), kind: type.kind, ...rest } as unknown as T;
}

export function parseObject<T extends KubeObject>(value: Json, line: RequestLine): T {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string') {
    throw badResponse(line, 'the response is not a Kubernetes object');
  }
  return value as unknown as T;
}

export function parseList<T extends KubeObject>(
  response: TransportResponse,
  type: ResourceType,
  line: RequestLine,
): ObjectList<T> {
  const { value } = response;
  const metadata = isJsonObject(value) ? value['metadata'] : undefined;
  // Go encodes an empty list sometimes as null.
  const items = isJsonObject(value) ? (value['items'] ?? []) : undefined;
  if (!isJsonObject(metadata) || !Array.isArray(items)) throw badResponse(line, 'the response is not a list');
  const { continue: next, remainingItemCount } = metadata;
  return {
    resourceVersion: typeof metadata['resourceVersion'] === 'string' ? metadata['resourceVersion'] : '',
    continue: typeof next === 'string' && next !== '' ? next : undefined,
    remainingItemCount: typeof remainingItemCount === 'number' ? remainingItemCount : undefined,
    serverTimeMs: response.serverTimeMs,
    items: items.map((item: Json) => {
      if (!isJsonObject(item) || !isJsonObject(item['metadata'])) {
        throw badResponse(line, 'the list has an item without metadata');
      }
      return named<T>(item, type);
    }),
  };
}
