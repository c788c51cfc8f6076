import { describe, expect, it } from 'vitest';
import { gvkOf, type KubeObject } from '../object/index.ts';
import { compilePolicy, type PolicyProgram } from '../policy/index.ts';
import { hashBody, hashStatus } from './body-hash.ts';
import { isReportable, kindPolicyFor, programFor, sourceOf } from './scope.ts';

const pods = { group: '', version: 'v1', kind: 'Pod' };

function program(spec: object, rule: object = {}): PolicyProgram {
  const validate = { message: 'no', pattern: { metadata: { labels: { app: '?*' } } } };
  const match = { any: [{ resources: { kinds: ['Pod'] } }] };
  const { program: compiled, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'policy' },
    spec: { validationFailureAction: 'Audit', ...spec, rules: [{ name: 'rule', match, validate, ...rule }] },
  });
  if (!compiled) throw new Error(JSON.stringify(issues));
  return compiled;
}

const controller = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: 'web', uid: 'u' });

describe('where the results of a policy come from', () => {
  it('is a scan, unless it is switched off or a rule reads the user', () => {
    const byUser = { match: { any: [{ resources: { kinds: ['Pod'] }, clusterRoles: ['admin'] }] } };
    expect(sourceOf(program({}))).toBe('scan');
    expect(sourceOf(program({ background: false }))).toBe('admission');
    expect(sourceOf(program({ background: false }, byUser))).toBe('admission');
    const tree = { '(admissionInfo.clusterRoles)': ['admin'] };
    expect(sourceOf(program({}, { validate: { assert: tree } }))).toBe('admission');
    expect(sourceOf(program({}, { validate: { assert: { object: {} } } }))).toBe('scan');
  });

  it('is a scan whatever words its texts contain', () => {
    const pattern = { metadata: { labels: { app: '?*' } } };
    for (const word of ['serviceAccountName', 'request.userInfo', 'admissionInfo'])
      expect(sourceOf(program({}, { validate: { message: `set ${word}`, pattern } }))).toBe('scan');
    const field = { spec: { serviceAccountName: '!default' } };
    expect(sourceOf(program({}, { validate: { message: 'no', pattern: field } }))).toBe('scan');
    const key = '{{ request.object.spec.serviceAccountName }}';
    const deny = { conditions: { any: [{ key, operator: 'Equals', value: 'default' }] } };
    expect(sourceOf(program({}, { validate: { message: 'no', deny } }))).toBe('scan');
  });

  it('is none for a policy that only mutates', () => {
    const mutate = { patchStrategicMerge: { metadata: { labels: { app: 'web' } } } };
    expect(sourceOf(program({}, { validate: undefined, mutate }))).toBe('none');
  });
});

describe('a kind policy', () => {
  const readsOf = (spec: object, rule: object = {}) => {
    const { readsStatus, readsNamespaceLabels } = kindPolicyFor(program(spec, rule), pods)!;
    return [readsStatus, readsNamespaceLabels];
  };

  it('reads the status and the labels of the namespace where a rule does, not where a text names them', () => {
    const pattern = { metadata: { labels: { status: '?*' } } };
    expect(readsOf({}, { validate: { message: 'status, namespaceSelector', pattern } })).toEqual([false, false]);
    expect(readsOf({}, { validate: { message: 'no', pattern: { status: { phase: 'Running' } } } })).toEqual([
      true,
      false,
    ]);
    const namespaceSelector = { matchLabels: { a: 'b' } };
    const match = { any: [{ resources: { kinds: ['Pod'], namespaceSelector } }] };
    expect(readsOf({}, { match })).toEqual([false, true]);
    const overrides = { validationFailureActionOverrides: [{ action: 'Enforce', namespaceSelector }] };
    expect(readsOf(overrides)).toEqual([false, true]);
  });
});

describe('a pod with a controller', () => {
  const kindPolicy = () => kindPolicyFor(program({}), pods)!;

  it('is evaluated itself when no rule is derived for the controller', () => {
    expect(programFor(kindPolicy(), [])?.rules.map(({ name }) => name)).toEqual(['rule']);
    expect(programFor(kindPolicy(), [controller('argoproj.io/v1alpha1', 'Rollout')])).toBeDefined();
  });

  it('is not evaluated when a rule is derived for its controller', () => {
    expect(programFor(kindPolicy(), [controller('apps/v1', 'ReplicaSet')])).toBeUndefined();
  });
});

describe('a violation of a pod template', () => {
  const chains: readonly (readonly [string, string][])[] = [
    [['v1', 'Pod']],
    [
      ['apps/v1', 'ReplicaSet'],
      ['v1', 'Pod'],
    ],
    [
      ['apps/v1', 'Deployment'],
      ['apps/v1', 'ReplicaSet'],
      ['v1', 'Pod'],
    ],
    [
      ['argoproj.io/v1alpha1', 'Rollout'],
      ['apps/v1', 'ReplicaSet'],
      ['v1', 'Pod'],
    ],
    [
      ['apps/v1', 'DaemonSet'],
      ['v1', 'Pod'],
    ],
    [
      ['apps/v1', 'StatefulSet'],
      ['v1', 'Pod'],
    ],
    [
      ['v1', 'ReplicationController'],
      ['v1', 'Pod'],
    ],
    [
      ['batch/v1', 'Job'],
      ['v1', 'Pod'],
    ],
    [
      ['batch/v1', 'CronJob'],
      ['batch/v1', 'Job'],
      ['v1', 'Pod'],
    ],
  ];
  const controllers = [
    'CronJob',
    'DaemonSet',
    'Deployment',
    'Job',
    'ReplicaSet',
    'ReplicationController',
    'StatefulSet',
  ];
  const subsets = Array.from({ length: 2 ** controllers.length }, (_, bits) =>
    controllers.filter((__, i) => (bits >> i) & 1),
  );
  const validate = { message: 'no', pattern: { metadata: { labels: { app: '?*' } } } };
  const match = { any: [{ resources: { kinds: ['Pod'] } }] };
  // Derived names are cut to 63 characters, where these two are the same.
  const names = ['rule', `${'long-'.repeat(11)}a`, `${'long-'.repeat(11)}b`];
  const compiled = (annotation: string | undefined) =>
    compilePolicy({
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {
        name: 'policy',
        ...(annotation === undefined
          ? {}
          : { annotations: { 'pod-policies.kyverno.io/autogen-controllers': annotation } }),
      },
      spec: { validationFailureAction: 'Audit', rules: names.map((name) => ({ name, match, validate })) },
    }).program!;
  const annotations = [undefined, 'none', ...subsets.map((set) => set.join(','))];
  const policies = annotations.map((annotation) => [annotation, compiled(annotation)] as const);
  /** Where each rule is reported, by the kinds of a chain from the owner down. */
  const placesOf = (
    policy: PolicyProgram,
    chain: readonly (readonly [string, string])[],
    excluded: readonly string[],
  ) => {
    const reported = chain.filter(([, kind]) => !excluded.includes(kind));
    const places = names.map((): string[] => []);
    for (const [apiVersion, kind] of reported) {
      const at = chain.findIndex(([, other]) => other === kind);
      const above = reported.filter(([, other]) => chain.findIndex(([, one]) => one === other) < at);
      const kindPolicy = kindPolicyFor(policy, gvkOf({ apiVersion, kind }));
      const program =
        kindPolicy &&
        programFor(
          kindPolicy,
          above.map(([version, other]) => controller(version, other)),
        );
      for (const { origin } of program?.rules ?? []) places[origin]!.push(kind);
    }
    return places;
  };

  it.each([
    ['the default filters', ['ReplicaSet']],
    ['no filters', []],
    ['filters for Deployments and Jobs', ['Deployment', 'Job']],
  ])('is in exactly one place, whichever controllers rules are derived for (%s)', (_, excluded) => {
    for (const [annotation, policy] of policies)
      for (const chain of chains)
        for (const places of placesOf(policy, chain, excluded))
          expect(places, `${annotation}: ${chain.map(([, kind]) => kind).join(' > ')}`).toHaveLength(1);
  });
});

it('reports and events are never reported on', () => {
  expect(isReportable({ group: 'wgpolicyk8s.io', version: 'v1alpha2', kind: 'PolicyReport' })).toBe(false);
  expect(isReportable({ group: 'events.k8s.io', version: 'v1', kind: 'Event' })).toBe(false);
  expect(isReportable(pods)).toBe(true);
});

describe('the hash of a body', () => {
  const one: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', labels: { x: '1', y: '2' } },
    spec: { n: [1, 2] },
  };

  it('ignores the order of keys, the status, and server-managed fields', () => {
    const same: KubeObject = {
      spec: { n: [1, 2] },
      status: { phase: 'Running' },
      kind: 'Pod',
      metadata: { resourceVersion: '7', generation: 3, labels: { y: '2', x: '1' }, name: 'a' },
      apiVersion: 'v1',
    };
    expect(hashBody(same)).toEqual(hashBody(one));
    expect(hashStatus(same)).not.toEqual(hashStatus(one));
  });

  it('depends on every other field', () => {
    const others: KubeObject[] = [
      { ...one, metadata: { ...one.metadata, labels: { x: '2', y: '1' } } },
      { ...one, spec: { n: [2, 1] } },
      { ...one, spec: { n: ['1', 2] } },
      { ...one, spec: { n: [1, 2], m: null } },
    ];
    const hashes = new Set([one, ...others].map((object) => JSON.stringify(hashBody(object))));
    expect(hashes.size).toBe(others.length + 1);
  });
});
