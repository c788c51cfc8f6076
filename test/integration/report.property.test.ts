import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { type WriteFault, withFaults } from './faulty-client.ts';
import { createReportFixture, pod, type ReportFixture, type Running, requireLabel, types } from './report-fixture.ts';
import { actualReports, expectedReports } from './report-oracle.ts';

const namespaces = ['red', 'blue'] as const;
const policyNames = ['foo', 'foo-2', 'bar.sc-p'] as const;
const label = fc.constantFrom('app', 'team');
const place = fc.constantFrom(...namespaces);

type Step = (world: World) => Promise<unknown>;
interface World {
  readonly fixture: ReportFixture;
  restart(isSplit?: boolean): Promise<void>;
}

const rules = fc
  .uniqueArray(fc.constantFrom('one', 'two', 'three'), { minLength: 1 })
  .chain((names) => fc.tuple(...names.map((name) => label.map((of) => ({ name, label: of })))));
const kinds = fc.constantFrom(['Pod'], ['Pod', 'ConfigMap'], ['Namespace'], ['ConfigMap']);

const steps: fc.Arbitrary<readonly [string, Step]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ name: fc.constantFrom('a', 'b', 'c', 'd'), namespace: place, labels: fc.subarray(['app', 'team']) })
      .map(
        ({ name, namespace, labels }) =>
          [
            `pod ${namespace}/${name} ${labels}`,
            async ({ fixture }: World) => {
              const metadata = {
                labels: { app: null, team: null, ...Object.fromEntries(labels.map((key) => [key, 'x'])) },
              };
              const key = { name, namespace };
              await fixture.client.create(types.pods, pod(name, namespace)).catch(() => {});
              await fixture.client.patch(types.pods, key, { type: 'merge', body: { metadata } });
            },
          ] as const,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ name: fc.constantFrom('a', 'b', 'c', 'd'), namespace: place })
      .map(
        ({ name, namespace }) =>
          [`no pod ${namespace}/${name}`, ({ fixture }: World) => fixture.remove(types.pods, name, namespace)] as const,
      ),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        name: fc.constantFrom(...policyNames),
        of: rules,
        kinds,
        background: fc.constantFrom(true, true, false),
      })
      .map(
        ({ name, of, kinds: kinds_, background }) =>
          [
            `cluster policy ${name} ${of.map((rule) => rule.name)} ${kinds_} ${background}`,
            ({ fixture }: World) =>
              fixture.put(types.clusterPolicy, requireLabel(name, of, { kinds: kinds_, spec: { background } })),
          ] as const,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ name: fc.constantFrom(...policyNames), of: rules, namespace: place })
      .map(
        ({ name, of, namespace }) =>
          [
            `policy ${namespace}/${name}`,
            ({ fixture }: World) => fixture.put(types.policy, requireLabel(name, of, { namespace })),
          ] as const,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ name: fc.constantFrom(...policyNames), namespace: fc.option(place, { nil: undefined }) })
      .map(
        ({ name, namespace }) =>
          [
            `no policy ${namespace ?? ''}/${name}`,
            ({ fixture }: World) => fixture.remove(namespace ? types.policy : types.clusterPolicy, name, namespace),
          ] as const,
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ namespace: place, tier: fc.constantFrom('gold', 'iron') })
      .map(
        ({ namespace, tier }) =>
          [
            `namespace ${namespace} is ${tier}`,
            ({ fixture }: World) =>
              fixture.client.patch(
                types.namespaces,
                { name: namespace },
                { type: 'merge', body: { metadata: { labels: { app: tier } } } },
              ),
          ] as const,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ policy: fc.constantFrom(...policyNames), exists: fc.boolean() }).map(
      ({ policy, exists }) =>
        [
          `exception ${exists} for ${policy}`,
          ({ fixture }: World) =>
            exists
              ? fixture.put(types.exception, {
                  apiVersion: 'kyverno.io/v2',
                  kind: 'PolicyException',
                  metadata: { name: 'excuse', namespace: 'red' },
                  spec: {
                    exceptions: [{ policyName: policy, ruleNames: ['one'] }],
                    match: { any: [{ resources: { kinds: ['Pod'], names: ['a'] } }] },
                  },
                })
              : fixture.remove(types.exception, 'excuse', 'red'),
        ] as const,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((isSplit) => [`restart ${isSplit}`, (world: World) => world.restart(isSplit)] as const),
  },
  {
    weight: 1,
    arbitrary: place.map(
      (namespace) =>
        [
          `somebody meddles in ${namespace}`,
          async ({ fixture }: World) => {
            const [report] = (
              await fixture.client.list(types.reports, { namespace, labelSelector: 'supercargo.dev/owner' })
            ).items;
            const { name = '' } = report?.metadata ?? {};
            if (report)
              await fixture.client
                .patch(types.reports, { name, namespace }, { type: 'merge', body: { results: [] } })
                .catch(() => {});
          },
        ] as const,
    ),
  },
);

describe('whatever happens to policies, resources, namespaces and exceptions', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
  });
  afterAll(async () => {
    await fixture?.close();
    await cluster?.stop();
  });

  it('at rest reports equal policies × resources, and nothing else was touched', { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: 5, maxLength: 30 }),
        fc.array(fc.constantFrom<WriteFault>('none', 'none', 'none', 'conflict', 'throttled', 'error', 'lost-answer'), {
          maxLength: 20,
        }),
        async (history, faults) => {
          for (const name of namespaces)
            await fixture.put(types.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
          const foreign = await placeForeign(fixture);
          let isSplit = true;
          let running: Running | undefined;
          const queue = [...faults];
          const faulty = withFaults(fixture.client, () => queue.pop() ?? 'none');
          const restart = async (form = isSplit) => {
            await running?.stop();
            isSplit = form;
            running = await fixture.start({ client: faulty, isSplit, targetBytes: 700 });
          };
          try {
            await restart();
            for (const [, step] of history) await step({ fixture, restart });
            const expected = await expectedReports(fixture, isSplit);
            await eventually(async () => expect(await actualReports(fixture)).toEqual(expected), {
              timeoutMs: 10_000,
              intervalMs: 50,
            });
            await running!.settled();
            expect(await actualReports(fixture)).toEqual(expected);
            expect(
              (await fixture.client.get<KubeObject>(types.reports, { name: 'polr-ns-red-elsewhere', namespace: 'red' }))
                .metadata.resourceVersion,
            ).toBe(foreign);
          } finally {
            await running?.stop();
            await clear(fixture);
          }
        },
      ),
      { numRuns: Number(process.env['REPORT_RUNS'] ?? 10), endOnFailure: true },
    );
  });
});

/** A report of another tool, named as ours are. */
async function placeForeign(fixture: ReportFixture): Promise<string | undefined> {
  const { metadata } = await fixture.put(types.reports, {
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    metadata: { name: 'polr-ns-red-elsewhere', namespace: 'red' },
    results: [],
  });
  return metadata.resourceVersion;
}

async function clear(fixture: ReportFixture): Promise<void> {
  for (const type of [
    types.clusterPolicy,
    types.policy,
    types.exception,
    types.pods,
    types.reports,
    types.clusterReports,
  ])
    for (const { metadata } of (await fixture.client.list(type)).items)
      await fixture.remove(type, metadata.name ?? '', metadata.namespace);
}
