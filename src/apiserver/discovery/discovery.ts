import { renderApiVersion } from '../../object/index.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { compareVersions } from './version-order.ts';

interface Group {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The groups in the order of the real server: built-in ones first, then custom ones by name. */
function groupsOf(catalog: Catalog): readonly Group[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of catalog.all()) {
    const known = versions.get(group);
    if (known) known.add(version);
    else versions.set(group, new Set([version]));
  }
  return [...versions].map(([name, set]) => ({ name, versions: [...set].sort(compareVersions) }));
}

function resourcesOf(catalog: Catalog, group: string, version: string): readonly ResourceDefinition[] {
  return [...catalog.all()].filter((definition) => definition.group === group && definition.version === version);
}

/** apidiscovery.k8s.io/v2: everything in one response, for the core group or for all others. */
export function aggregatedDiscovery(catalog: Catalog, core: boolean): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groupsOf(catalog)
      .filter(({ name }) => (name === '') === core)
      .map(({ name, versions }) => ({
        metadata: core ? { creationTimestamp: null } : { name, creationTimestamp: null },
        versions: versions.map((version) => ({
          version,
          freshness: 'Current',
          resources: resourcesOf(catalog, name, version).map(aggregatedResource),
        })),
      })),
  };
}

function aggregatedResource(definition: ResourceDefinition): object {
  const { group, version, kind } = definition;
  return {
    resource: definition.resource,
    responseKind: { group, version, kind },
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: definition.verbs,
    ...(definition.shortNames.length > 0 ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories.length > 0 ? { categories: definition.categories } : {}),
    ...(definition.subresources.length > 0
      ? {
          subresources: definition.subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: {
              group: subresource.group ?? group,
              version: subresource.version ?? version,
              kind: subresource.kind,
            },
            verbs: subresource.verbs,
          })),
        }
      : {}),
  };
}

/** `/apis`: the older form of discovery, group by group. */
export function groupList(catalog: Catalog): object {
  const groups = groupsOf(catalog).filter(({ name }) => name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupBody) };
}

export function group(catalog: Catalog, name: string): object | undefined {
  const found = groupsOf(catalog).find((candidate) => candidate.name === name);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(found) };
}

function groupBody({ name, versions }: Group): object {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

export function coreVersions(address: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** `/api/v1`, `/apis/GROUP/VERSION`; undefined when there is no such version. */
export function resourceList(catalog: Catalog, groupName: string, version: string): object | undefined {
  const definitions = resourcesOf(catalog, groupName, version);
  if (definitions.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: renderApiVersion({ group: groupName, version }),
    resources: definitions.flatMap((definition) => [
      {
        name: definition.resource,
        singularName: definition.singular,
        namespaced: definition.namespaced,
        kind: definition.kind,
        verbs: definition.verbs,
        ...(definition.shortNames.length > 0 ? { shortNames: definition.shortNames } : {}),
        ...(definition.categories.length > 0 ? { categories: definition.categories } : {}),
      },
      ...definition.subresources.map((subresource) => ({
        name: `${definition.resource}/${subresource.name}`,
        singularName: '',
        namespaced: definition.namespaced,
        ...(subresource.group === undefined ? {} : { group: subresource.group }),
        ...(subresource.version === undefined ? {} : { version: subresource.version }),
        kind: subresource.kind,
        verbs: subresource.verbs,
      })),
    ]),
  };
}
