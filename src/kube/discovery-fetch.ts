import { errorMessage, isJsonObject, type Json, type JsonObject, mapConcurrent } from '../base/index.ts';
import { type GroupVersion, parseApiVersion, renderApiVersion } from '../object/index.ts';
import { isKubeError } from './errors.ts';
import type { TransportResponse } from './transport.ts';
import type { CallOptions, ResourceType } from './types.ts';

/** A resource as described by discovery. */
export interface DiscoveredType extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`, … without the resource's name. */
  readonly subresources: readonly string[];
  /** Whether its version is the preferred version of its group. */
  readonly isPreferredVersion: boolean;
}

export interface DiscoveryFailure extends GroupVersion {
  readonly message: string;
}

export interface DiscoveryResult {
  /** In the server's order: the core group first, within a group the preferred version first. */
  readonly types: readonly DiscoveredType[];
  /** Versions that exist but could not be described, usually because the server of an aggregated API is down. */
  readonly failures: readonly DiscoveryFailure[];
}

export interface DiscoverySource {
  raw(path: string, options?: CallOptions & { readonly accept?: string | undefined }): Promise<TransportResponse>;
}

const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const accept = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;
const legacyConcurrency = 8;

/** Two requests where the server has aggregated discovery, else one per group and version. */
export async function fetchDiscovery(source: DiscoverySource, signal?: AbortSignal): Promise<DiscoveryResult> {
  const [core, groups] = await Promise.all([
    source.raw('/api', { accept, signal }),
    // A server with only the core group is valid, but unusual.
    source.raw('/apis', { accept, signal }).catch((thrown) => {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }),
  ]);
  const parts = await Promise.all(
    [core, groups].map((response) => {
      if (response === undefined) return { types: [], failures: [] };
      if (response.contentType.includes('APIGroupDiscoveryList')) return parseAggregated(response.value);
      return fetchLegacy(source, legacyVersions(response.value), signal);
    }),
  );
  return { types: parts.flatMap((part) => part.types), failures: parts.flatMap((part) => part.failures) };
}

/** Parses an APIGroupDiscoveryList. */
function parseAggregated(value: Json): DiscoveryResult {
  const types: DiscoveredType[] = [];
  const failures: DiscoveryFailure[] = [];
  for (const group of objects(value, 'items')) {
    const metadata = group['metadata'];
    const name = isJsonObject(metadata) ? text(metadata['name']) : '';
    objects(group, 'versions').forEach((version, index) => {
      const gv = { group: name, version: text(version['version']) };
      // A stale entry is the last known state of an unreachable server; it may be empty.
      if (version['freshness'] === 'Stale') failures.push({ ...gv, message: 'its server does not answer' });
      for (const resource of objects(version, 'resources')) {
        const type = aggregatedType(resource, gv, index === 0);
        if (type) types.push(type);
      }
    });
  }
  return { types, failures };
}

function aggregatedType(
  resource: JsonObject,
  gv: GroupVersion,
  isPreferredVersion: boolean,
): DiscoveredType | undefined {
  const kind = resource['responseKind'];
  // Absent for resources that exist only for their subresources.
  if (!isJsonObject(kind)) return undefined;
  return {
    ...gv,
    resource: text(resource['resource']),
    kind: text(kind['kind']),
    namespaced: resource['scope'] === 'Namespaced',
    singular: text(resource['singularResource']) || text(kind['kind']).toLowerCase(),
    shortNames: texts(resource['shortNames']),
    categories: texts(resource['categories']),
    verbs: texts(resource['verbs']),
    subresources: objects(resource, 'subresources').map((sub) => text(sub['subresource'])),
    isPreferredVersion,
  };
}

type LegacyVersion = GroupVersion & { readonly isPreferred: boolean };

function legacyVersions(value: Json): LegacyVersion[] {
  if (!isJsonObject(value)) return [];
  if (value['kind'] === 'APIVersions') {
    return texts(value['versions']).map((version, index) => ({ group: '', version, isPreferred: index === 0 }));
  }
  return objects(value, 'groups').flatMap((group) => {
    const preferred = isJsonObject(group['preferredVersion']) ? group['preferredVersion']['groupVersion'] : undefined;
    const versions = objects(group, 'versions').map((version, index) => ({
      ...parseApiVersion(text(version['groupVersion'])),
      isPreferred: preferred === undefined ? index === 0 : version['groupVersion'] === preferred,
    }));
    return versions.sort((a, b) => Number(b.isPreferred) - Number(a.isPreferred));
  });
}

async function fetchLegacy(
  source: DiscoverySource,
  versions: readonly LegacyVersion[],
  signal: AbortSignal | undefined,
): Promise<DiscoveryResult> {
  const failures: DiscoveryFailure[] = [];
  const types = await mapConcurrent(versions, legacyConcurrency, async (version) => {
    const path = `${version.group === '' ? '/api' : '/apis'}/${renderApiVersion(version)}`;
    try {
      return parseResourceList((await source.raw(path, { signal })).value, version);
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      failures.push({ group: version.group, version: version.version, message: errorMessage(thrown) });
      return [];
    }
  });
  return { types: types.flat(), failures };
}

/** Parses an APIResourceList; its subresources are separate rows such as `pods/status`. */
function parseResourceList(value: Json, version: LegacyVersion): DiscoveredType[] {
  const rows = objects(value, 'resources');
  const subresources = new Map<string, string[]>();
  for (const row of rows) {
    const [resource = '', sub] = text(row['name']).split('/');
    if (sub !== undefined) subresources.set(resource, [...(subresources.get(resource) ?? []), sub]);
  }
  return rows
    .filter((row) => !text(row['name']).includes('/'))
    .map((row) => ({
      group: version.group,
      version: version.version,
      resource: text(row['name']),
      kind: text(row['kind']),
      namespaced: row['namespaced'] === true,
      singular: text(row['singularName']) || text(row['kind']).toLowerCase(),
      shortNames: texts(row['shortNames']),
      categories: texts(row['categories']),
      verbs: texts(row['verbs']),
      subresources: subresources.get(text(row['name'])) ?? [],
      isPreferredVersion: version.isPreferred,
    }));
}

function objects(value: unknown, field: string): readonly JsonObject[] {
  const list = isJsonObject(value) ? value[field] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
