import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/index.ts';
import { applyStrategicMergePatch, type PatchSchema } from '../../src/object/index.ts';
import { attempt, createOracle } from './kubectl-oracle.ts';
import { deploymentSchema, podSchema, serviceSchema } from './patch-schemas.ts';

const oracle = await createOracle();
const seed = 20_240_608;

const name = fc.constantFrom('a', 'b', 'c', 'd');
const port = fc.constantFrom(80, 81, 82);
const text = fc.constantFrom('x', 'y');
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const labels = fc.dictionary(name, text, { maxKeys: 3, noNullPrototype: true });

/** Optional fields that are absent must not be there at all: JSON has no undefined. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields).map((value) => JSON.parse(JSON.stringify(value)));
const listBy = (key: string, element: fc.Arbitrary<JsonObject>) =>
  fc.uniqueArray(element, { selector: (item) => item[key], maxLength: 3 });

const env = listBy('name', record({ name, value: text }));
const container = record({
  name,
  image: some(text),
  env: some(env),
  ports: some(listBy('containerPort', record({ containerPort: port, name: some(text) }))),
  args: some(fc.array(text, { maxLength: 2 })),
  resources: some(record({ limits: some(labels), requests: some(labels) })),
});
const volume = fc.oneof(
  record({ name, emptyDir: record({ medium: some(text) }) }),
  record({ name, hostPath: record({ path: text }) }),
);
const podSpec = record({
  containers: listBy('name', container),
  volumes: some(listBy('name', volume)),
  imagePullSecrets: some(listBy('name', record({ name }))),
  hostAliases: some(listBy('ip', record({ ip: name, hostnames: fc.array(text, { maxLength: 2 }) }))),
  topologySpreadConstraints: some(listBy('topologyKey', record({ topologyKey: name, maxSkew: port }))),
  tolerations: some(fc.array(record({ key: name }), { maxLength: 2 })),
  nodeSelector: some(labels),
  securityContext: some(record({ runAsUser: port, supplementalGroups: some(fc.array(port, { maxLength: 2 })) })),
});
const metadata = record({
  labels: some(labels),
  finalizers: some(fc.uniqueArray(name, { maxLength: 3 })),
  ownerReferences: some(listBy('uid', record({ uid: name, name: text }))),
});

// Patches: the same shapes, now and then with nulls and directives in them.
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 6 });
const element = (key: string, plain: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 2, arbitrary: plain.map((item) => ({ [key]: item[key], $patch: 'delete' })) },
    { weight: 1, arbitrary: fc.constant({ $patch: 'replace' }) },
    { weight: 1, arbitrary: plain.map(({ [key]: _, ...rest }) => rest) },
  );
const patchList = (key: string, plain: fc.Arbitrary<JsonObject>) =>
  nullable(fc.array(element(key, plain), { maxLength: 3 }));
/** The order names what the patch sets, most of the time, and something else as well. */
const withOrder = (field: string, key: string | undefined, list: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> =>
  fc.tuple(list, fc.constantFrom('none', 'none', 'before', 'behind', 'empty'), name).map(([value, kind, other]) => {
    if (kind === 'none') return { [field]: value };
    const items = Array.isArray(value) ? value.filter((item) => !isDeletion(item)) : [];
    const order = items.map((item) => (key === undefined ? item : { [key]: (item as JsonObject)[key] ?? 'none' }));
    const extra = key === undefined ? other : { [key]: other };
    const all = kind === 'before' ? [extra, ...order] : kind === 'behind' ? [...order, extra] : [];
    return { [field]: value, [`$setElementOrder/${field}`]: all };
  });
const isDeletion = (item: unknown) => typeof item === 'object' && item !== null && '$patch' in item;

const containerPatch = fc
  .tuple(
    record({
      name,
      image: some(nullable(text)),
      args: some(fc.array(text, { maxLength: 2 })),
      resources: some(nullable(record({ limits: labels }))),
    }),
    some(withOrder('env', 'name', patchList('name', record({ name, value: nullable(text) })))),
    some(
      withOrder(
        'ports',
        'containerPort',
        nullable(listBy('containerPort', record({ containerPort: port, name: text }))),
      ),
    ),
  )
  .map(([base, envs, ports]) => ({ ...base, ...envs, ...ports }));
const volumePatch = fc
  .tuple(volume, fc.boolean())
  .map(([item, retains]) => (retains ? { ...item, $retainKeys: Object.keys(item) } : item));
const mapPatch = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(name, nullable(text), { maxKeys: 3, noNullPrototype: true }) },
  { weight: 1, arbitrary: labels.map((value) => ({ ...value, $patch: 'replace' })) },
  { weight: 1, arbitrary: fc.constant({ $patch: 'delete' }) },
);
const podSpecPatch = fc
  .tuple(
    some(withOrder('containers', 'name', patchList('name', containerPatch))),
    some(fc.record({ volumes: patchList('name', volumePatch) })),
    some(fc.record({ nodeSelector: nullable(mapPatch) })),
    some(
      withOrder(
        'hostAliases',
        'ip',
        nullable(listBy('ip', record({ ip: name, hostnames: fc.array(text, { maxLength: 2 }) }))),
      ),
    ),
    some(fc.record({ tolerations: nullable(fc.array(record({ key: name }), { maxLength: 2 })) })),
    some(fc.record({ imagePullSecrets: patchList('name', record({ name })) })),
  )
  .map((parts) => Object.assign({}, ...parts) as JsonObject);
// Go walks maps in any order: what one list adds, the other must not take away.
const metadataPatch = fc
  .tuple(
    some(fc.record({ labels: nullable(mapPatch) })),
    some(
      withOrder('finalizers', undefined, nullable(fc.uniqueArray(fc.constantFrom('c', 'd', 'e'), { maxLength: 2 }))),
    ),
    some(fc.record({ '$deleteFromPrimitiveList/finalizers': fc.uniqueArray(fc.constantFrom('a', 'b')) })),
  )
  .map((parts) => Object.assign({}, ...parts) as JsonObject);

describe.skipIf(oracle.skip)('strategic merge patches against kubectl', () => {
  const named = (metadataOf: JsonObject, index: number) => ({ ...metadataOf, name: `o${index}` });

  test('random pods and patches end alike', { timeout: 120_000 }, async () => {
    const pods = fc.sample(fc.tuple(metadata, podSpec), { seed, numRuns: 60 }).map(
      ([meta, spec], index): JsonObject => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: named(meta, index),
        spec,
      }),
    );
    const patches = fc.sample(fc.tuple(metadataPatch, podSpecPatch), { seed, numRuns: 40 });
    await compare(
      pods,
      patches.map(([meta, spec]) => ({ metadata: meta, spec })),
      podSchema,
    );
  });

  test('deployments retain keys and merge deep in their template', { timeout: 60_000 }, async () => {
    const strategy = fc.constantFrom<Json[]>(
      { type: 'Recreate' },
      { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    );
    const deployments = fc.sample(fc.tuple(strategy, podSpec), { seed, numRuns: 20 }).map(
      ([how, spec], index): JsonObject => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: `o${index}` },
        spec: { strategy: how, selector: { matchLabels: { a: 'b' } }, template: { spec } },
      }),
    );
    const fixed: Json[] = [
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: {} } } },
      { spec: { strategy: { $retainKeys: 'type' } } },
      { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } },
      { spec: { strategy: { $patch: 'replace', type: 'Recreate' }, selector: { $patch: 'delete' } } },
      { spec: { selector: { $patch: 'merge' } } },
      { spec: null },
    ];
    const random = fc
      .sample(podSpecPatch, { seed: seed + 1, numRuns: 8 })
      .map((spec) => ({ spec: { template: { spec } } }));
    await compare(deployments, [...fixed, ...random], deploymentSchema);
  });

  test('services merge ports by number, and lists of text as sets', { timeout: 60_000 }, async () => {
    const ports = listBy('port', record({ port, name: some(text) }));
    const services = fc.sample(fc.tuple(metadata, ports), { seed, numRuns: 20 }).map(
      ([meta, list], index): JsonObject => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: named(meta, index),
        spec: { ports: list, externalIPs: ['x'], selector: { a: 'x' } },
      }),
    );
    await compare(
      services,
      [
        { spec: { ports: [{ port: 81, name: 'new' }, { port: 99 }] } },
        { spec: { ports: [{ port: 80, $patch: 'delete' }] } },
        { spec: { ports: [{ $patch: 'replace' }] } },
        { spec: { ports: [{ port: 80, $patch: 'merge' }], externalIPs: ['y'] } },
        { spec: { ports: [{ port: '80' }] } },
        { spec: { '$setElementOrder/ports': [{ port: 82 }, { port: 80 }], ports: [{ port: 82, name: 'x' }] } },
        { spec: { '$setElementOrder/ports': [{ port: 80 }], ports: [{ port: 82, name: 'x' }] } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'b'] } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['d', 'c'] } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': 'a' } },
        { metadata: { $deleteFromPrimitiveList: ['a'] } },
        { metadata: { finalizers: [] } },
        { metadata: { finalizers: [1] } },
        { metadata: { '$setElementOrder/finalizers': ['c', 'b', 'a'] } },
        {
          metadata: {
            '$setElementOrder/finalizers': ['z', 'a'],
            finalizers: ['z'],
            '$deleteFromPrimitiveList/finalizers': ['b'],
          },
        },
        {
          metadata: {
            ownerReferences: [
              { uid: 'a', $patch: 'delete' },
              { uid: 'z', name: 'new' },
            ],
          },
        },
      ],
      serviceSchema,
    );
  });

  async function compare(objects: readonly JsonObject[], patches: readonly Json[], schema: PatchSchema): Promise<void> {
    let applied = 0;
    for (const patch of patches) {
      const kubectl = await oracle.patch('strategic', objects, patch);
      for (const object of objects) {
        const { value } = attempt(() => applyStrategicMergePatch(object, patch, schema));
        const theirs = kubectl.objects.get((object['metadata'] as { name: string }).name);
        expect(value, `${JSON.stringify(object)} with ${JSON.stringify(patch)}\n${kubectl.stderr}`).toEqual(theirs);
        if (value) applied++;
      }
    }
    expect(applied).toBeGreaterThan(objects.length * patches.length * 0.4);
  }
});
