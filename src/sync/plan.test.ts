import { describe, expect, test } from 'vitest';
import type { DiscoveredType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { overwrite, sameContent } from './content.ts';
import { readIncoming } from './incoming.ts';
import { type CurrentPolicy, type PlanOptions, planSync as plan, withoutNoOps, withoutUnsafeRemovals } from './plan.ts';
import { ownerAnnotation, ownerValue, refOf } from './policy.ts';
import { policyKindsOf } from './policy-kinds.ts';

const served = (kind: string, more: Partial<DiscoveredType> = {}): DiscoveredType => ({
  group: 'kyverno.io',
  version: 'v1',
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced: kind === 'Policy',
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'get', 'list', 'update', 'watch'],
  subresources: [],
  isPreferredVersion: true,
  ...more,
});
const kinds = policyKindsOf([
  served('ClusterPolicy'),
  served('ClusterPolicy', { version: 'v2beta1', isPreferredVersion: false }),
  served('Policy'),
  served('PolicyException', { version: 'v2' }),
  served('CleanupPolicy', { version: 'v2', isPreferredVersion: false }),
  served('Policy', { group: 'other.io' }),
]);

const planSync = (
  response: Parameters<typeof plan>[0],
  found: ReadonlyMap<string, CurrentPolicy>,
  options: PlanOptions = { maxRemovePercent: 100 },
) => plan(response, found, options);
const annotations = { [ownerAnnotation]: ownerValue };
const policy = (name: string, spec: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name, annotations, ...metadata },
  spec: { rules: [{ name: 'r' }], ...spec },
});
const stored = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  status: { ready: true },
});
const current = (...objects: readonly KubeObject[]): ReadonlyMap<string, CurrentPolicy> =>
  new Map(
    objects.map((object) => {
      const ref = refOf(kinds.find(object.apiVersion, object.kind)!, object);
      return [ref.key, { ref, object: stored(object) }];
    }),
  );
const incoming = (...objects: readonly object[]) =>
  readIncoming(objects.map((one) => JSON.stringify(one)).join('\n---\n'), kinds);
const actions = ({ operations }: ReturnType<typeof planSync>) =>
  operations.map(({ action, ref }) => `${action} ${ref.label}`);

test('the policy kinds are those of Kyverno that end in Policy, each in the preferred version', () => {
  expect(kinds.listed.map(({ kind, version, group }) => `${kind} ${group}/${version}`)).toEqual([
    'ClusterPolicy kyverno.io/v1',
    'Policy kyverno.io/v1',
    'CleanupPolicy kyverno.io/v2',
  ]);
  expect(kinds.find('kyverno.io/v2beta1', 'ClusterPolicy')?.version).toBe('v2beta1');
  expect(kinds.find('kyverno.io/v2', 'PolicyException')).toBeUndefined();
});

describe('a plan', () => {
  test('applies, updates and removes in this order', () => {
    const plan = planSync(
      incoming(policy('changed', { a: 2 }), policy('new'), policy('same', { b: 1, a: 1 })),
      current(policy('gone'), policy('changed', { a: 1 }), policy('same', { a: 1, b: 1 })),
    );
    expect(actions(plan)).toEqual(['apply new', 'update changed', 'remove gone']);
    expect(plan.unchanged.map(({ label }) => label)).toEqual(['same']);
  });

  test('distinguishes an empty map, a null and an absent field in a spec', () => {
    for (const [a, b] of [
      [{ deny: {} }, {}],
      [{ x: null }, {}],
      [{ x: [] }, {}],
    ])
      expect(actions(planSync(incoming(policy('p', a)), current(policy('p', b))))).toEqual(['update p']);
  });

  test('drops an update that would change nothing on the server', () => {
    const plan = planSync(incoming(policy('p', { a: 1 })), current(policy('p', { a: 1, defaulted: true })));
    expect(actions(plan)).toEqual(['update p']);
    const key = plan.operations[0]!.ref.key;
    const settled = withoutNoOps(plan, new Map([[key, stored(policy('p', { a: 1, defaulted: true }))]]));
    expect(settled.operations).toEqual([]);
    expect(settled.unchanged).toHaveLength(1);
  });

  test('never touches a policy that is not of Insights, whatever its name', () => {
    const foreign = policy('p', { a: 1 }, { annotations: { [ownerAnnotation]: 'somebody' } });
    const plan = planSync(incoming(policy('p', { a: 2 })), current(foreign, policy('q', {}, { annotations: {} })));
    expect(plan.operations).toEqual([]);
    expect(plan.refused[0]?.reason).toMatch(/not of Insights/);
  });

  test('removes nothing while a document of the response is not understood', () => {
    const plan = planSync(incoming(policy('a'), { apiVersion: 'v1' }), current(policy('a'), policy('b')));
    expect(plan.operations).toEqual([]);
    expect(plan.refused).toHaveLength(1);
  });

  test('does not remove a policy whose new form is rejected', () => {
    const plan = planSync(incoming(policy('a', {}, { annotations: {} })), current(policy('a')));
    expect(plan.operations).toEqual([]);
  });

  test('skips a policy that is being deleted', () => {
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const plan = planSync(incoming(policy('a', { n: 1 })), current(policy('a', {}, leaving), policy('b', {}, leaving)));
    expect(plan.operations).toEqual([]);
    expect(plan.refused[0]?.reason).toMatch(/being deleted/);
  });
});

describe('the response', () => {
  test('may contain lists, and the same policy twice', () => {
    const { policies, refused } = incoming(
      { apiVersion: 'v1', kind: 'List', items: [policy('a'), policy('b')] },
      policy('a'),
    );
    expect(policies.map(({ ref }) => ref.label)).toEqual(['a', 'b']);
    expect(refused).toEqual([]);
  });

  test('is read without server-set fields', () => {
    const [read] = incoming(stored(policy('a', { x: 1 }, { namespace: 'stray', finalizers: ['f'] }))).policies;
    expect(read?.object).toEqual(policy('a', { x: 1 }));
  });

  test.each<[string, object, RegExp]>([
    ['labels that are no texts', policy('a', {}, { labels: { a: 1 } }), /metadata.labels must be a map of texts/],
    ['annotations that are a list', policy('a', {}, { annotations: [] }), /metadata.annotations must be a map/],
    ['a name with a path in it', policy('../a'), /a name that no object can have/],
    ['no name', policy(''), /a name that no object can have/],
  ])('is refused for %s', (_, object, reason) => {
    expect(incoming(object).refused[0]?.reason).toMatch(reason);
  });
});

test('an updated policy keeps foreign labels and loses those that we wrote', () => {
  const managedFields = [
    { manager: 'supercargo-sync', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:ours': {} } } } },
    { manager: 'kubectl', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } } },
  ];
  const before = stored(policy('p', {}, { labels: { ours: '1', theirs: '1' }, managedFields }));
  const after = overwrite(before, policy('p', {}, { labels: { fresh: '1' } }));
  expect(after.metadata.labels).toEqual({ theirs: '1', fresh: '1' });
  expect(after.metadata).toMatchObject({ uid: 'u', resourceVersion: '7' });
  expect(sameContent(after, before)).toBe(false);
});

describe('a truncated last policy', () => {
  const rules = [{ name: 'r' }, { name: 's', message: 'a\nb\n' }];
  const planOf = (last: object, others: readonly KubeObject[], maxRemovePercent = 50) => {
    const response = incoming(policy('a'), policy('p', last));
    const found = current(policy('a'), policy('p', { rules }), ...others);
    const planned = planSync(response, found, { maxRemovePercent });
    const preview = new Map(
      planned.operations.flatMap((one) => (one.action === 'update' ? [[one.ref.key, one.desired]] : [])),
    );
    return withoutUnsafeRemovals(withoutNoOps(planned, preview), response, { maxRemovePercent });
  };
  const shortened: readonly (readonly object[])[] = [[rules[0]!], [rules[0]!, { name: 's', message: 'a\n' }]];

  test.each(shortened)('stops all removals while policies are missing: %j', (...cut) => {
    const kept = planOf({ rules: cut }, [policy('z')]);
    expect(actions(kept)).toEqual([]);
    expect(kept.refused.map(({ label, reason }) => `${label}: ${reason}`)).toEqual([
      expect.stringMatching(/^p: it lost its end, and 1 of the policies that were synced are missing/),
    ]);
  });

  test('is a normal update if nothing is missing, if it is allowed, or if more has changed', () => {
    const cut = { rules: [rules[0]] };
    expect(actions(planOf(cut, []))).toEqual(['update p']);
    expect(actions(planOf(cut, [policy('z')], 100))).toEqual(['update p', 'remove z']);
    expect(actions(planOf({ rules: [{ name: 'other' }] }, [policy('z')]))).toEqual(['update p', 'remove z']);
  });
});
