import { isJsonObject, UsageError } from '../base/index.ts';
import { compile, matchesWildcard } from '../jmespath/index.ts';
import {
  type KubeObject,
  type LabelSelector,
  labelSelectorOf,
  parseApiVersion,
  parseFieldSelector,
  parseLabelSelector,
} from '../object/index.ts';
import type { LookUp, LookUpAnswer } from '../policy/index.ts';
import type { Scopes } from './scope.ts';
import type { ApiCallResponse, GlobalContextValue } from './test-file.ts';

/** Replaces the cluster and the services that policies call. */
export interface FakeCluster {
  readonly objects: readonly KubeObject[];
  readonly scopes: Scopes;
  /** True if `objects` resolve API calls and ConfigMap entries; otherwise only targets and clone sources are found. */
  readonly resolvesCalls: boolean;
  readonly apiCalls?: readonly ApiCallResponse[] | undefined;
  readonly globalContext?: ReadonlyMap<string, unknown> | undefined;
  /** What the libraries of CEL find instead of `objects`. */
  readonly contextObjects?: readonly KubeObject[] | undefined;
  /** Data of images, by reference. */
  readonly images?: ReadonlyMap<string, unknown> | undefined;
}

export type LookUpResolver = (lookUp: LookUp) => LookUpAnswer;

const found = (value: unknown): LookUpAnswer => ({ ok: true, value });
const missing = (message: string): LookUpAnswer => ({ ok: false, message });

/** Resolves the engine's look-ups without a network. */
export function createLookUpResolver(cluster: FakeCluster): LookUpResolver {
  return (lookUp) => {
    switch (lookUp.kind) {
      case 'configMap':
        return configMap(cluster, lookUp.namespace, lookUp.name);
      case 'apiCall':
        if (lookUp.asLibrary) return libraryCall(cluster, lookUp.method, lookUp.urlPath);
        return mocked(cluster, lookUp.method, lookUp.urlPath) ?? apiCall(cluster, lookUp.method, lookUp.urlPath);
      case 'serviceCall':
        return (
          mocked(cluster, lookUp.method, lookUp.url, lookUp.asLibrary) ??
          missing(`no response is given for a call of ${lookUp.url}`)
        );
      case 'imageData':
        return cluster.images?.has(lookUp.reference)
          ? found(cluster.images.get(lookUp.reference))
          : missing(`image data is not looked up here: ${lookUp.reference}`);
      case 'globalContext':
        if (cluster.globalContext?.has(lookUp.name)) return projected(cluster.globalContext.get(lookUp.name), lookUp);
        return lookUp.asLibrary ? found(null) : missing(`global context entry ${lookUp.name} not found`);
      // What files tell of namespaces is in the request.
      case 'namespace':
        return found(null);
      case 'schema':
        return found(cluster.scopes.schemaOf(lookUp.apiVersion, lookUp.resourceKind) ?? null);
      case 'resourceName':
        return found(cluster.scopes.pluralOf(lookUp.apiVersion, lookUp.resourceKind));
      case 'resources':
        return found(resources(cluster, lookUp));
    }
  };
}

function configMap({ objects, resolvesCalls }: FakeCluster, namespace: string, name: string): LookUpAnswer {
  const object =
    resolvesCalls &&
    objects.find(
      ({ apiVersion, kind, metadata }) =>
        apiVersion === 'v1' && kind === 'ConfigMap' && metadata.namespace === namespace && metadata.name === name,
    );
  return object
    ? found(object)
    : missing(`failed to get configmap ${namespace}/${name} : configmaps "${name}" not found`);
}

/** Libraries of CEL see the objects of a `context` file, where there is one, and nothing else. */
function libraryCall(cluster: FakeCluster, method: string, urlPath: string): LookUpAnswer {
  const { contextObjects, resolvesCalls } = cluster;
  const objects = contextObjects ?? (resolvesCalls ? cluster.objects : []);
  const answer = apiCall({ ...cluster, objects, resolvesCalls: true }, method, urlPath);
  return answer.ok || !answer.isAbsent ? answer : found(null);
}

function mocked(
  { apiCalls = [] }: FakeCluster,
  method: string,
  url: string,
  isWhole = false,
): LookUpAnswer | undefined {
  const matching = apiCalls.filter((call) => (call.url || call.urlPath || '').trim() === url);
  const call =
    matching.findLast((candidate) => candidate.method?.trim().toUpperCase() === method) ??
    matching.findLast((candidate) => !candidate.method?.trim());
  if (!call) return undefined;
  const { statusCode = 200, body } = call.response;
  if (isWhole) return found({ body: body ?? null, statusCode });
  return statusCode >= 200 && statusCode < 300 ? found(body) : missing(`HTTP ${statusCode} from ${url}`);
}

interface ApiPath {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

function parsePath(path: string): ApiPath | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : undefined;
  if (!rest?.[0]) return undefined;
  const apiVersion = parts[0] === 'api' ? parts[1]! : `${parts[1]}/${parts[2]}`;
  // `/api/v1/namespaces/x` is the namespace itself.
  const isInside = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', name = ''] = isInside ? rest.slice(2) : rest;
  return { apiVersion, resource, name, namespace: isInside ? rest[1]! : '' };
}

type CallAnswer = LookUpAnswer & { readonly isAbsent?: true };

function apiCall(cluster: FakeCluster, method: string, urlPath: string): CallAnswer {
  if (!cluster.resolvesCalls) return missing(`no response is given for a call of ${urlPath}`);
  if (method !== 'GET') return missing(`only GET is supported offline, not ${method} ${urlPath}`);
  const question = urlPath.indexOf('?');
  const query = new URLSearchParams(question === -1 ? '' : urlPath.slice(question + 1));
  const path = parsePath(question === -1 ? urlPath : urlPath.slice(0, question));
  if (!path) return missing(`failed to parse path: ${urlPath}`);
  const candidates = cluster.objects.filter(
    (object) =>
      object.apiVersion === path.apiVersion &&
      cluster.scopes.pluralOf(object.apiVersion, object.kind) === path.resource &&
      (path.namespace === '' || object.metadata.namespace === path.namespace),
  );
  if (path.name !== '') {
    const object = candidates.find(({ metadata }) => metadata.name === path.name);
    if (object) return found(object);
    return { ...missing(`failed to get resource: ${path.resource} "${path.name}" not found`), isAbsent: true };
  }
  const byLabels = parseLabelSelector(query.get('labelSelector') ?? '');
  const byFields = parseFieldSelector(query.get('fieldSelector') ?? '').matches;
  const items = candidates.filter(
    (object) => byLabels(object.metadata.labels) && byFields((field) => fieldOf(object, field)),
  );
  return found({
    apiVersion: path.apiVersion,
    kind: `${candidates[0]?.kind ?? ''}List`,
    metadata: { resourceVersion: '' },
    items,
  });
}

function fieldOf(object: KubeObject, path: string): string | undefined {
  let value: unknown = object;
  for (const key of path.split('.')) value = isJsonObject(value) ? value[key] : undefined;
  return value === undefined || value === null ? undefined : String(value);
}

interface Wanted {
  readonly apiVersion: string;
  readonly resourceKind: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly selector?: LabelSelector;
}

function resources({ objects, scopes }: FakeCluster, wanted: Wanted): readonly KubeObject[] {
  const isLike = (pattern: string | undefined, text = '') => !pattern || matchesWildcard(pattern, text);
  const selector = labelSelectorOf(wanted.selector ?? {});
  return objects.filter(
    (object) =>
      isLike(wanted.apiVersion, object.apiVersion) &&
      isLike(wanted.resourceKind, object.kind) &&
      (wanted.resource ?? '') === (wanted.resource ? scopes.pluralOf(object.apiVersion, object.kind) : '') &&
      isLike(wanted.namespace, object.metadata.namespace) &&
      isLike(wanted.name, object.metadata.name) &&
      selector(object.metadata.labels),
  );
}

/** A projection of a given entry is one of its fields. */
function projected(value: unknown, { name, projection }: Extract<LookUp, { readonly kind: 'globalContext' }>) {
  if (projection === undefined || value === null) return found(value);
  if (isJsonObject(value) && Object.hasOwn(value, projection)) return found(value[projection]);
  return missing(`projection "${projection}" not found in global context entry "${name}"`);
}

/** The data of mocked global context entries, after field path and projections. */
export function globalContextOf(
  entries: readonly GlobalContextValue[],
  readFile: (file: string) => readonly KubeObject[],
  now: number,
): ReadonlyMap<string, unknown> {
  const environment = { clock: { now: () => now }, random: () => 0 };
  const search = (expression: string, value: unknown) => compile(expression).evaluate(value, environment);
  const data = new Map<string, unknown>();
  for (const { name, data: inline, resources: list, resourceFiles, fieldPath, projections } of entries) {
    if (data.has(name)) throw new UsageError('offline-invalid-file', `globalContextEntries: ${name} is there twice`);
    const sources = [inline, list, resourceFiles].filter((source) => source !== undefined);
    if (sources.length !== 1) {
      throw new UsageError(
        'offline-invalid-file',
        `globalContextEntries ${name}: one of data, resources and resourceFiles is expected`,
      );
    }
    const source = inline ?? list ?? resourceFiles?.flatMap(readFile);
    const root = fieldPath ? search(fieldPath, source) : source;
    data.set(
      name,
      projections?.length
        ? Object.fromEntries(projections.map((projection) => [projection.name, search(projection.path, root)]))
        : root,
    );
  }
  return data;
}

/** The labels that a Namespace among the objects carries. */
export function labelsOfNamespace(
  objects: readonly KubeObject[],
  name: string,
): Readonly<Record<string, string>> | undefined {
  const namespace = namespaceNamed(objects, name);
  return namespace && isJsonObject(namespace.metadata.labels) ? namespace.metadata.labels : undefined;
}

export const namespaceNamed = (objects: readonly KubeObject[], name: string): KubeObject | undefined =>
  objects.find(
    ({ apiVersion, kind, metadata }) =>
      kind === 'Namespace' && parseApiVersion(apiVersion).group === '' && metadata.name === name,
  );
