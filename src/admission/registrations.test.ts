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
  return registrationsOf({ programs, types: [type('ConfigMap'), type('Gadget', false)] });
}

/** The cluster may change between registrations. */
function registrationsOf(cluster: {
  programs: readonly ReturnType<typeof program>[];
  types: readonly DiscoveredType[];
}) {
  return createPolicyRegistrations({
    policies: {
      get current() {
        return createPolicySet(cluster.programs);
      },
      subscribe: () => () => {},
    },
    discovery: { list: async () => cluster.types, invalidate: () => {} },
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

  it('registered for other policies serve a new policy, which then need not wait', async () => {
    const { made, register, cluster } = await registered(program('a'));
    const same = program('b');
    expect(made.isRegistered(same)).toBe(true);
    const slower = program('c', undefined, { webhookTimeoutSeconds: 30 });
    const conditional = program('d', undefined, { webhookConfiguration: { matchConditions } });
    const deletes = program('e', undefined, {
      rules: [
        {
          name: 'r',
          match: { any: [{ resources: { kinds: ['ConfigMap'], operations: ['DELETE'] } }] },
          validate: { message: 'm', deny: {} },
        },
      ],
    });
    const own = program('f', 'shop');
    for (const other of [slower, conditional, deletes, own]) {
      expect(made.isRegistered(other)).toBe(false);
      cluster.programs = [...cluster.programs, other];
      await register();
      expect(made.isRegistered(other)).toBe(true);
    }
  });

  it('do not serve a policy that a registration under way leaves out', async () => {
    const { made, register, cluster } = await registered(program('a'));
    cluster.programs = [];
    const finish = await register('begin');
    const later = program('b');
    expect(made.isRegistered(later)).toBe(false);
    finish();
    expect(made.isRegistered(later)).toBe(false);
    cluster.programs = [later];
    await register();
    expect(made.isRegistered(later)).toBe(true);
  });

  it('are not known any more after leadership ended, until they are registered again', async () => {
    const [policy, quiet] = [program('a'), program('b', undefined, { admission: false })];
    const { made, register } = await registered(policy);
    await register('begin');
    made.mutate.forget?.();
    made.validate.forget?.();
    expect([policy, quiet].map((one) => made.isRegistered(one))).toEqual([false, false]);
    await register();
    expect([policy, quiet].map((one) => made.isRegistered(one))).toEqual([true, true]);
  });

  it('serve a policy without rules for admission from the first registration on', async () => {
    const quiet = program('a', undefined, { admission: false });
    expect(registrations(quiet).isRegistered(quiet)).toBe(false);
    const { made } = await registered();
    expect(made.isRegistered(quiet)).toBe(true);
  });

  it('tell which policies are refused, and which kinds are new', async () => {
    const [one, two] = [program('a', 'shop'), program('b')];
    const { made, register, cluster } = await registered(one, two);
    const changed: string[][] = [];
    made.subscribe((isChanged) => changed.push([one, two].filter(isChanged).map(({ key }) => key)));
    await register();
    await register('refuse shop');
    await register();
    cluster.types = [...cluster.types];
    await register();
    // The webhooks of both configurations are registered each time.
    expect(changed.filter((keys) => keys.length > 0)).toEqual([
      ['shop/a'],
      ['shop/a'],
      ['shop/a', 'b'],
      ['shop/a', 'b'],
    ]);
  });
});

async function registered(...programs: readonly ReturnType<typeof program>[]) {
  const cluster = { programs, types: [type('ConfigMap'), type('Gadget', false)] };
  const made = registrationsOf(cluster);
  const register = async (how?: 'begin' | 'refuse shop') => {
    const { signal } = new AbortController();
    const both = [made.mutate, made.validate] as const;
    const entries = await Promise.all(both.map((registration) => registration.entries(signal)));
    const finish = () => {
      for (const [index, registration] of both.entries()) {
        const refused = how === 'refuse shop' ? entries[index]!.filter(({ namespace }) => namespace === 'shop') : [];
        registration.onRegistered?.(
          entries[index]!,
          refused.map((entry) => ({ entry, message: 'no' })),
        );
      }
    };
    if (how !== 'begin') finish();
    return finish;
  };
  await register();
  return { made, register, cluster };
}
