// Writes the schemas and the discovery of the built-in kinds, as served by a real API server of the pinned version.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHttpClient, type HttpClient } from '../test/support/http-client.ts';
import { startRealCluster } from '../test/support/real-cluster.ts';

const output = fileURLToPath(new URL('../src/schema/generated/builtin.json', import.meta.url));

const groupVersions = [
  'v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'networking.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
];

/** Kinds that only occur in requests, not in responses. */
const extraKinds = ['/v1/DeleteOptions'];

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Resource extends Kind {
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly (Kind & { readonly name: string; readonly verbs: readonly string[] })[];
}

type Node = { readonly [word: string]: unknown };

interface Discovered {
  readonly resource: string;
  readonly responseKind: Kind;
  readonly scope: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly { subresource: string; responseKind?: Kind; verbs: readonly string[] }[];
}

const keptWords = [
  'type',
  'format',
  'nullable',
  'required',
  'enum',
  'pattern',
  'default',
  'oneOf',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
];
const droppedWords = ['description', 'example', 'x-kubernetes-unions', 'x-kubernetes-group-version-kind'];
const structuralWords = ['$ref', 'allOf', 'properties', 'items', 'additionalProperties'];

const cluster = await startRealCluster();
try {
  const api = createHttpClient(cluster);
  const version = String((await api.get('/version')).body['gitVersion']);
  const published = await readSchemas(api);
  const resources = await readResources(api);
  await api.close();

  const kinds = namedKinds(published, resources);
  const definitions = reachable(published, kinds);
  mkdirSync(path.dirname(output), { recursive: true });
  const text = render(version, definitions, kinds, resources);
  writeFileSync(output, text);
  const size = `${Math.round(text.length / 1000)} KB`;
  console.log(
    `${version}: ${definitions.size} definitions, ${kinds.length} kinds, ${resources.length} resources, ${size}`,
  );
} finally {
  await cluster.stop();
}

async function readSchemas(api: HttpClient): Promise<ReadonlyMap<string, Node>> {
  const schemas = new Map<string, Node>();
  for (const groupVersion of groupVersions) {
    const root = groupVersion.includes('/') ? 'apis' : 'api';
    const { status, body } = await api.get(`/openapi/v3/${root}/${groupVersion}`);
    if (status !== 200) throw new Error(`/openapi/v3/${root}/${groupVersion} answered ${status}`);
    const components = body['components'] as { readonly schemas: Readonly<Record<string, Node>> };
    for (const [name, schema] of Object.entries(components.schemas)) schemas.set(name, schema);
  }
  return schemas;
}

async function readResources(api: HttpClient): Promise<readonly Resource[]> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const lists = await Promise.all(['/api', '/apis'].map((root) => api.get(root, { accept })));
  const resources = lists.flatMap(({ body }) =>
    body.items.flatMap((item) =>
      (item['versions'] as readonly { version: string; resources: readonly Discovered[] }[]).flatMap((entry) => {
        const own = { group: item.metadata.name ?? '', version: entry.version };
        return groupVersions.includes(own.group ? `${own.group}/${own.version}` : own.version)
          ? entry.resources.map((resource) => toResource(own, resource))
          : [];
      }),
    ),
  );
  return resources.sort((a, b) => compare(resourceKey(a), resourceKey(b)));
}

function toResource(own: { group: string; version: string }, discovered: Discovered): Resource {
  return {
    ...own,
    resource: discovered.resource,
    singular: discovered.singularResource ?? '',
    kind: discovered.responseKind.kind,
    namespaced: discovered.scope === 'Namespaced',
    shortNames: discovered.shortNames ?? [],
    categories: discovered.categories ?? [],
    verbs: [...discovered.verbs].sort(),
    subresources: (discovered.subresources ?? [])
      .map(({ subresource, responseKind, verbs }) => ({
        name: subresource,
        kind: responseKind?.kind ?? '',
        // An empty version means the version of the resource itself.
        ...(responseKind?.version ? { group: responseKind.group, version: responseKind.version } : own),
        verbs: [...verbs].sort(),
      }))
      .sort((a, b) => compare(a.name, b.name)),
  };
}

function namedKinds(schemas: ReadonlyMap<string, Node>, resources: readonly Resource[]) {
  const wanted = new Set([
    ...resources.flatMap((resource) => [kindKey(resource), ...resource.subresources.map(kindKey)]),
    ...extraKinds,
  ]);
  const found = new Map<string, Kind & { readonly definition: string }>();
  for (const [definition, schema] of schemas)
    for (const { group, version, kind } of (schema['x-kubernetes-group-version-kind'] ?? []) as readonly Kind[])
      if (wanted.has(kindKey({ group, version, kind })))
        found.set(kindKey({ group, version, kind }), { group, version, kind, definition });
  const missing = resources.filter((resource) => !found.has(kindKey(resource)));
  if (missing.length > 0) throw new Error(`no schema for ${missing.map(resourceKey).join(', ')}`);
  return [...found.values()].sort((a, b) => compare(kindKey(a), kindKey(b)));
}

function reachable(schemas: ReadonlyMap<string, Node>, kinds: readonly { definition: string }[]) {
  const done = new Map<string, Node>();
  const waiting = kinds.map(({ definition }) => definition);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (done.has(name)) continue;
    const schema = schemas.get(name);
    if (!schema) throw new Error(`no schema of the name ${name}`);
    done.set(
      name,
      simplify(schema, (referenced) => waiting.push(referenced)),
    );
  }
  return done;
}

function simplify(node: Node, onReference: (name: string) => void): Node {
  const unknown = Object.keys(node).filter(
    (word) => !keptWords.includes(word) && !droppedWords.includes(word) && !structuralWords.includes(word),
  );
  if (unknown.length > 0) throw new Error(`words of a schema that the generator does not know: ${unknown.join(', ')}`);
  if (node['format'] === 'int-or-string') return { 'x-kubernetes-int-or-string': true };

  const simple: Record<string, unknown> = {};
  const reference = referenceOf(node);
  if (reference !== undefined) {
    onReference(reference);
    simple['$ref'] = reference;
  }
  for (const word of keptWords) if (node[word] !== undefined) simple[word] = node[word];
  const properties = node['properties'] as Readonly<Record<string, Node>> | undefined;
  if (properties)
    simple['properties'] = Object.fromEntries(
      Object.entries(properties)
        .sort(([a], [b]) => compare(a, b))
        .map(([name, property]) => [name, simplify(property, onReference)]),
    );
  for (const word of ['items', 'additionalProperties']) {
    const child = node[word];
    if (typeof child === 'boolean') simple[word] = child;
    else if (child !== undefined) {
      // The zero value of a list element is never filled in.
      const { default: _, ...element } = simplify(child as Node, onReference) as { default?: unknown };
      simple[word] = element;
    }
  }
  return simple;
}

function referenceOf(node: Node): string | undefined {
  const parts = (node['allOf'] ?? [node]) as readonly Node[];
  if (parts.length !== 1) throw new Error('an allOf of several parts');
  const reference = parts[0]?.['$ref'];
  return typeof reference === 'string' ? reference.replace('#/components/schemas/', '') : undefined;
}

/** One entry per line, in a stable order, so that a new Kubernetes version gives a readable diff. */
function render(
  version: string,
  definitions: ReadonlyMap<string, Node>,
  kinds: readonly object[],
  resources: readonly object[],
): string {
  const named = [...definitions].sort(([a], [b]) => compare(a, b));
  const lines = (entries: readonly string[]) => entries.join(',\n');
  return [
    `{"version":${JSON.stringify(version)},"definitions":{`,
    lines(named.map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`)),
    '},"kinds":[',
    lines(kinds.map((kind) => JSON.stringify(kind))),
    '],"resources":[',
    lines(resources.map((resource) => JSON.stringify(resource))),
    ']}\n',
  ].join('\n');
}

function kindKey({ group, version, kind }: Kind): string {
  return `${group}/${version}/${kind}`;
}

function resourceKey({ group, version, resource }: Resource): string {
  return `${group}/${version}/${resource}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
