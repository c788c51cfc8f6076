import { isJsonObject, type JsonObject } from '../base/index.ts';
import { type GroupVersionKind, type KubeObject, renderApiVersion } from '../object/index.ts';
import type { PolicyRequest, RequestUser } from '../policy/index.ts';
import type { AdmissionRequest } from '../webhook/index.ts';

export interface RequestContext {
  /** The kind that policies name: for a subresource, that of the object it belongs to. */
  readonly kind: GroupVersionKind;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly now: number;
}

/** The request as policies see it. Who asks is added where rules want to know their roles. */
export function policyRequestOf(
  request: AdmissionRequest,
  { kind, namespaceLabels, now }: RequestContext,
): PolicyRequest {
  return {
    operation: request.operation,
    kind,
    subresource: request.subResource,
    object: request.operation === 'DELETE' ? undefined : asObject(request.object, request),
    oldObject: asObject(request.oldObject, request),
    namespaceLabels,
    info: { userInfo: userOf(request.userInfo), roles: [], clusterRoles: [] },
    dryRun: request.dryRun,
    uid: request.uid,
    now,
  };
}

/** Options of a connection have no metadata, and nobody guarantees the rest: policies may rely on the frame. */
function asObject(raw: JsonObject | undefined, request: AdmissionRequest): KubeObject | undefined {
  if (!raw) return undefined;
  const { apiVersion, kind, metadata } = raw;
  if (typeof apiVersion === 'string' && typeof kind === 'string' && isMetadata(metadata))
    return raw as unknown as KubeObject;
  const { labels, annotations, name, namespace, ...others } = isJsonObject(metadata) ? metadata : {};
  return {
    ...raw,
    apiVersion: typeof apiVersion === 'string' ? apiVersion : renderApiVersion(request.kind),
    kind: typeof kind === 'string' ? kind : request.kind.kind,
    metadata: {
      ...others,
      ...(isJsonObject(labels) ? { labels: textsOf(labels) } : {}),
      ...(isJsonObject(annotations) ? { annotations: textsOf(annotations) } : {}),
      ...withText('name', name, request.name),
      ...withText('namespace', namespace, request.namespace),
    },
  } as KubeObject;
}

function isMetadata(metadata: unknown): boolean {
  if (!isJsonObject(metadata)) return false;
  const { name, generateName, labels, annotations } = metadata;
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  return (
    (typeof name === 'string' || typeof generateName === 'string') &&
    isText(metadata['namespace']) &&
    areTexts(labels) &&
    areTexts(annotations)
  );
}

function areTexts(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isJsonObject(value)) return false;
  for (const key in value) if (typeof value[key] !== 'string') return false;
  return true;
}

function textsOf(map: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function withText(key: string, value: unknown, otherwise: string): Readonly<Record<string, string>> {
  const text = typeof value === 'string' ? value : otherwise;
  return text === '' ? {} : { [key]: text };
}

function userOf({ username, uid, groups, extra }: JsonObject): RequestUser {
  return {
    username: typeof username === 'string' ? username : '',
    ...(typeof uid === 'string' ? { uid } : {}),
    groups: Array.isArray(groups) ? groups.filter((group): group is string => typeof group === 'string') : [],
    ...(isJsonObject(extra) ? { extra: extra as unknown as NonNullable<RequestUser['extra']> } : {}),
  };
}
