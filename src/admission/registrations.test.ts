import { describe, expect, it } from 'vitest';
import type { DiscoveredType } from '../kube/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { createPolicySet } from '../runtime/index.ts';
import { createPolicyRegistrations } from './registrations.ts';
import { parseResourceFilters } from './resource-filters.ts';

const type = (kind: string, namespaced = true): DiscoveredType => ({
  group: '',
  version: 'v1',
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: ['get', 'list', 'watch', 'create'],
  subresources: [],
  isPreferredVersion: true,
});

const matchConditions = [{ name: 'x', expression: 'true' }];
const program = (name: string, namespace?: string, spec: object = {}) => {
  const { program: made, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      rules: [
        {
          name: 'r',
          match: { any: [{ resources: { kinds: ['ConfigMap', 'Gadget'] } }] },
          validate: { message: 'm', pattern: { data: { a: 'b' } } },
        },
      ],
      ...spec,
    },
  });
  if (!made) throw new Error(JSON.stringify(issues));
  return made;
};

function registrations(...programs: readonly ReturnType<typeof program>[]) {
  return createPolicyRegistrations({
    policies: { current: createPolicySet(programs), subscribe: () => () => {} },
    discovery: { list: async () => [type('ConfigMap'), type('Gadget', false)], invalidate: () => {} },
    informers: { for: () => ({}) } as never,
    filters: parseResourceFilters([]),
  });
}
const entriesOf = (...programs: readonly ReturnType<typeof program>[]) =>
  registrations(...programs).validate.entries(new AbortController().signal);

describe('webhooks of policies', () => {
  it('select only the namespace of a Policy, and no cluster-scoped objects', async () => {
    const [cluster, own] = await entriesOf(program('a'), program('b', 'shop'));
    expect(cluster).toMatchObject({ name: 'validate.fail', namespace: undefined });
    expect(cluster!.rules.flatMap(({ resources }) => resources)).toEqual(['configmaps', 'gadgets']);
    expect(own).toMatchObject({ name: 'validate.shop.namespace.fail', namespace: 'shop' });
    expect(own!.rules.map(({ resources, scope }) => [resources, scope])).toEqual([[['configmaps'], 'Namespaced']]);
  });

  it('have unique names that the API server accepts, even for long policy names', async () => {
    const long = 'a'.repeat(61);
    const given = { webhookConfiguration: { matchConditions } };
    const entries = await entriesOf(
      program('a.shop', undefined, given),
      program('a', 'shop', given),
      program(`${long}-1`, 'shop', given),
      program(`${long}-2`, 'shop', given),
    );
    const names = entries.map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]{0,183}[a-z0-9])$/);
  });

  it('report a refused webhook for its own policy only', async () => {
    const [one, two] = [program('a', 'shop', { webhookConfiguration: { matchConditions } }), program('b', 'shop')];
    const made = registrations(one, two);
    const entries = await made.validate.entries(new AbortController().signal);
    const entry = entries.find(({ name }) => name.includes('.policy.'))!;
    made.validate.onRegistered?.(entries, [{ entry, message: 'no such expression' }]);
    expect(made.refusalOf(one)).toBe('no such expression');
    expect(made.refusalOf(two)).toBeUndefined();
  });
});
