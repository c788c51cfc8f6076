import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { eventually } from '../support/wait.ts';
import { linesOf, pod, type ReportFixture, requireLabel, types } from './report-fixture.ts';

interface Place {
  readonly fixture: ReportFixture;
  readonly namespace: string;
  /** A policy's name of this case alone. */
  readonly policy: string;
}

interface Case {
  readonly title: string;
  prepare(place: Place): Promise<void>;
  change(place: Place): Promise<void>;
  /** By report of the namespace without its `polr-ns-<namespace>-`; an empty object for none. */
  expected(place: Place): Readonly<Record<string, readonly string[]>>;
}

const one = [{ name: 'has-app', label: 'app' }];
const two = [...one, { name: 'has-team', label: 'team' }];

const putPolicy = ({ fixture, policy, namespace }: Place, rules: typeof one, name = policy) =>
  fixture.put(types.clusterPolicy, limitedTo(requireLabel(name, rules), namespace));
const putPod = ({ fixture, namespace }: Place, name: string, labels: Record<string, string> = {}) =>
  fixture.put(types.pods, pod(name, namespace, { labels }));

/** Policies of one case do not match objects of another. */
function limitedTo(policy: KubeObject, namespace: string): KubeObject {
  const spec = policy['spec'] as {
    readonly rules: readonly { readonly match: { readonly any: readonly { readonly resources: object }[] } }[];
  };
  const rules = spec.rules.map((rule) => ({
    ...rule,
    match: { any: rule.match.any.map(({ resources }) => ({ resources: { ...resources, namespaces: [namespace] } })) },
  }));
  return { ...policy, spec: { ...spec, rules } };
}

const cases: readonly Case[] = [
  {
    title: 'a rule was added',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web', { app: 'web' });
    },
    change: (place) => putPolicy(place, two).then(() => {}),
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app pass', 'Pod web: has-team fail'] }),
  },
  {
    title: 'a rule was removed',
    async prepare(place) {
      await putPolicy(place, two);
      await putPod(place, 'web', { app: 'web' });
    },
    change: (place) => putPolicy(place, one).then(() => {}),
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app pass'] }),
  },
  {
    title: 'a rule was renamed',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web', { app: 'web' });
    },
    change: (place) => putPolicy(place, [{ name: 'app-is-there', label: 'app' }]).then(() => {}),
    expected: ({ policy }) => ({ [policy]: ['Pod web: app-is-there pass'] }),
  },
  {
    title: 'a policy was renamed',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    async change(place) {
      await putPolicy(place, one, `${place.policy}-renamed`);
      await place.fixture.remove(types.clusterPolicy, place.policy);
    },
    expected: ({ policy }) => ({ [`${policy}-renamed`]: ['Pod web: has-app fail'] }),
  },
  {
    title: 'a policy was deleted',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    change: ({ fixture, policy }) => fixture.remove(types.clusterPolicy, policy),
    expected: () => ({}),
  },
  {
    title: 'a policy matches another kind than before',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
      await place.fixture.put(types.configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: place.namespace, labels: { app: 'web' } },
      });
    },
    async change({ fixture, policy, namespace }) {
      const changed = requireLabel(policy, one, { kinds: ['ConfigMap'] });
      await fixture.put(types.clusterPolicy, limitedTo(changed, namespace));
    },
    expected: ({ policy }) => ({ [policy]: expect.arrayContaining(['ConfigMap settings: has-app pass']) }),
  },
  {
    title: 'a resource was changed',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    change: ({ fixture, namespace }) =>
      fixture.client
        .patch(
          types.pods,
          { name: 'web', namespace },
          { type: 'merge', body: { metadata: { labels: { app: 'web' } } } },
        )
        .then(() => {}),
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app pass'] }),
  },
  {
    title: 'a resource was deleted',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
      await putPod(place, 'db');
    },
    change: ({ fixture, namespace }) => fixture.remove(types.pods, 'db', namespace),
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app fail'] }),
  },
  {
    title: 'the last resource was deleted',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    change: ({ fixture, namespace }) => fixture.remove(types.pods, 'web', namespace),
    expected: () => ({}),
  },
  {
    title: 'a resource was made anew under its name',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    async change(place) {
      await place.fixture.remove(types.pods, 'web', place.namespace);
      await putPod(place, 'web', { app: 'web' });
    },
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app pass'] }),
  },
  {
    title: 'the namespace was deleted',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    change: ({ fixture, namespace }) => fixture.remove(types.namespaces, namespace),
    expected: () => ({}),
  },
  {
    title: 'a label of the namespace was changed',
    async prepare(place) {
      const policy = requireLabel(place.policy, one);
      const spec = policy['spec'] as { rules: { match: { any: { resources: object }[] } }[] };
      const resources = {
        kinds: ['Pod'],
        namespaces: [place.namespace],
        namespaceSelector: { matchLabels: { tier: 'gold' } },
      };
      spec.rules[0]!.match = { any: [{ resources }] };
      await place.fixture.put(types.clusterPolicy, policy);
      await putPod(place, 'web');
    },
    change: ({ fixture, namespace }) =>
      fixture.client
        .patch(
          types.namespaces,
          { name: namespace },
          { type: 'merge', body: { metadata: { labels: { tier: 'gold' } } } },
        )
        .then(() => {}),
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app fail'] }),
  },
  {
    title: 'an exception was made',
    async prepare(place) {
      await putPolicy(place, one);
      await putPod(place, 'web');
    },
    async change({ fixture, policy, namespace }) {
      await fixture.put(types.exception, {
        apiVersion: 'kyverno.io/v2',
        kind: 'PolicyException',
        metadata: { name: policy, namespace },
        spec: {
          exceptions: [{ policyName: policy, ruleNames: ['*'] }],
          match: { any: [{ resources: { kinds: ['Pod'], names: ['web'] } }] },
        },
      });
    },
    expected: ({ policy }) => ({ [policy]: ['Pod web: has-app skip'] }),
  },
  {
    title: 'a ConfigMap that a rule reads was changed',
    async prepare(place) {
      const { fixture, namespace, policy } = place;
      const allowed = (value: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'allowed', namespace },
        data: { value },
      });
      await fixture.put(types.configMaps, allowed('db'));
      await fixture.put(types.clusterPolicy, {
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        metadata: { name: policy },
        spec: {
          validationFailureAction: 'Audit',
          rules: [
            {
              name: 'is-allowed',
              match: { any: [{ resources: { kinds: ['Pod'], namespaces: [namespace] } }] },
              context: [{ name: 'allowed', configMap: { name: 'allowed', namespace } }],
              validate: {
                message: 'not allowed',
                deny: {
                  conditions: {
                    any: [
                      {
                        key: '{{ request.object.metadata.name }}',
                        operator: 'NotEquals',
                        value: '{{ allowed.data.value }}',
                      },
                    ],
                  },
                },
              },
            },
          ],
        },
      });
      await putPod(place, 'web');
    },
    change: ({ fixture, namespace }) =>
      fixture.client
        .patch(types.configMaps, { name: 'allowed', namespace }, { type: 'merge', body: { data: { value: 'web' } } })
        .then(() => {}),
    expected: ({ policy }) => ({ [policy]: ['Pod web: is-allowed pass'] }),
  },
];

/** Everything that may happen to policies and resources, while we look and while we do not. */
export function defineReportCases(get: () => ReportFixture): void {
  let count = 0;
  const newPlace = async (): Promise<Place> => {
    const id = `case-${++count}`;
    const fixture = get();
    await fixture.put(types.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
    return { fixture, namespace: id, policy: `policy-${id}` };
  };
  const reported = async ({ fixture, namespace }: Place) => {
    const prefix = `polr-ns-${namespace}-`;
    const own = Object.values(await fixture.reports()).filter(({ metadata }) => metadata.namespace === namespace);
    return Object.fromEntries(own.map((report) => [report.metadata.name?.slice(prefix.length) ?? '', linesOf(report)]));
  };
  const becomes = (place: Place) =>
    eventually(async () => expect(await reported(place)).toEqual(place && caseOf(place).expected(place)), {
      timeoutMs: 10_000,
    });
  const current = new WeakMap<Place, Case>();
  const caseOf = (place: Place) => current.get(place)!;

  for (const known of cases) {
    it(`are right after ${known.title}`, async () => {
      const place = await newPlace();
      current.set(place, known);
      const running = await place.fixture.start();
      try {
        await known.prepare(place);
        await running.settled();
        await known.change(place);
        await becomes(place);
      } finally {
        await running.stop();
        await place.fixture.remove(types.clusterPolicy, place.policy);
      }
    });

    it(`are right after ${known.title} while Supercargo was down`, async () => {
      const place = await newPlace();
      current.set(place, known);
      const before = await place.fixture.start();
      try {
        await known.prepare(place);
        await before.settled();
      } finally {
        await before.stop();
      }
      await known.change(place);
      const after = await place.fixture.start();
      try {
        await becomes(place);
      } finally {
        await after.stop();
        await place.fixture.remove(types.clusterPolicy, place.policy);
      }
    });
  }
}
