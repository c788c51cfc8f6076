import { andThen, type Clock, isJsonObject, type JsonObject, type MaybePromise } from '../base/index.ts';
import type { Discovery } from '../kube/index.ts';
import { type KubeObject, renderApiVersion } from '../object/index.ts';
import type { MatchedKind, PolicyRequest, RequestInfo, RequestUser } from '../policy/index.ts';
import { type AdmissionRequest, ReviewError } from './review.ts';

interface RequestReaderOptions {
  readonly discovery: Pick<Discovery, 'byResource'>;
  readonly namespaces: {
    /** Undefined for a namespace that the informer has not observed yet. */
    labels(name: string): Readonly<Record<string, string>> | undefined;
    fetchLabels(name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  };
  readonly clock: Pick<Clock, 'now'>;
}

/** Converts admission requests to policy requests, for every feature that evaluates them. */
interface RequestReader {
  /** The kind that policies match: for a subresource, the kind of the parent object. */
  kindOf(request: AdmissionRequest, signal: () => AbortSignal): MaybePromise<MatchedKind>;
  /** Roles stay empty: they are looked up only if a rule reads them. */
  read(request: AdmissionRequest, kind: MatchedKind, signal: () => AbortSignal): MaybePromise<ReadRequest>;
}

/** The user of an admission request is always known. */
type ReadRequest = PolicyRequest & { readonly info: RequestInfo };

export function createRequestReader({ discovery, namespaces, clock }: RequestReaderOptions): RequestReader {
  return {
    kindOf: (request, signal) =>
      request.subResource === '' ? withResource(request) : parentKind(discovery, request, signal()),
    read: (request, kind, signal) => {
      const labels = isNamespaced(request)
        ? (namespaces.labels(request.namespace) ?? namespaces.fetchLabels(request.namespace, signal()))
        : {};
      return andThen(labels, (namespaceLabels) => policyRequestOf(request, kind, namespaceLabels, clock.now()));
    },
  };
}

const withResource = ({ kind: { group, version, kind }, resource }: AdmissionRequest): MatchedKind => ({
  group,
  version,
  kind,
  resource: resource.resource,
});

function isNamespaced({ namespace, kind }: AdmissionRequest): boolean {
  return namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');
}

async function parentKind(
  discovery: RequestReaderOptions['discovery'],
  { resource }: AdmissionRequest,
  signal: AbortSignal,
): Promise<MatchedKind> {
  const type = await discovery.byResource(resource, { signal });
  if (!type)
    throw new ReviewError(
      'review-unknown-kind',
      500,
      `the cluster does not serve ${resource.group}/${resource.version} ${resource.resource}`,
    );
  return { group: type.group, version: type.version, kind: type.kind, resource: type.resource };
}

function policyRequestOf(
  request: AdmissionRequest,
  kind: MatchedKind,
  namespaceLabels: Readonly<Record<string, string>>,
  now: number,
): ReadRequest {
  return {
    operation: request.operation,
    kind,
    subresource: request.subResource,
    object: request.operation === 'DELETE' ? undefined : asObject(request.object, request),
    oldObject: asObject(request.oldObject, request),
    namespaceLabels,
    info: { userInfo: userOf(request.userInfo), roles: [], clusterRoles: [] },
    attributes: request,
    dryRun: request.dryRun,
    uid: request.uid,
    now,
  };
}

/** Adds apiVersion, kind and metadata that policies rely on: CONNECT options have no metadata, and input may be malformed. */
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
