import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import type { Schema } from '../schema/index.ts';
import { isStatusError, type Status } from '../status.ts';
import { type ApplyOptions, applyObject } from './apply.ts';
import { containers, deployment, deploymentSchema, gadget, gadgetSchema } from './schemas.fixture.ts';
import { updateManagedFields } from './update.ts';

const schemas: Readonly<Record<string, Schema>> = { Deployment: deploymentSchema, Gadget: gadgetSchema };

function apply(
  live: KubeObject | undefined,
  applied: KubeObject,
  manager: string,
  options: Partial<ApplyOptions> = {},
): KubeObject {
  const { apiVersion, kind } = applied;
  return applyObject({ live, applied, manager, apiVersion, schema: schemas[kind], now: 0, ...options });
}

function refusal(work: () => unknown): Status {
  try {
    work();
  } catch (thrown) {
    if (isStatusError(thrown)) return thrown.status;
    throw thrown;
  }
  throw new Error('it was not refused');
}

const create = (object: KubeObject, manager: string) =>
  updateManagedFields({
    before: undefined,
    after: object,
    manager,
    apiVersion: object.apiVersion,
    schema: schemas[object.kind],
    now: 0,
  });

const owners = (object: KubeObject) =>
  (object.metadata.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`);

const fieldsOf = (object: KubeObject, manager: string) =>
  JSON.stringify(object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1);

describe('applyObject', () => {
  it('creates an object that its applier owns exactly as applied', () => {
    const object = apply(undefined, deployment(containers({ name: 'a', image: 'x' })), 'me');
    expect(object['spec']).toEqual(containers({ name: 'a', image: 'x' }));
    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '1970-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:template': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
          },
        },
      },
    ]);
  });

  it('returns the live object itself when nothing changes, whatever the time', () => {
    const config = deployment({ replicas: 1, ...containers({ name: 'a', env: [{ name: 'E', value: '1' }] }) });
    const live = apply(undefined, config, 'me');
    expect(apply(live, structuredClone(config), 'me', { now: 60_000 })).toBe(live);
  });

  it('merges items of associative lists by key and leaves the fields of others alone', () => {
    const live = apply(
      undefined,
      deployment(containers({ name: 'a', image: 'x', env: [{ name: 'E', value: '1' }] })),
      'me',
    );
    const merged = apply(
      live,
      deployment(containers({ name: 'b', image: 'y' }, { name: 'a', env: [{ name: 'F', value: '2' }] })),
      'other',
    );
    expect(merged['spec']).toEqual(
      containers(
        { name: 'b', image: 'y' },
        {
          name: 'a',
          image: 'x',
          env: [
            { name: 'E', value: '1' },
            { name: 'F', value: '2' },
          ],
        },
      ),
    );
  });

  it.each([
    [['a', 'b', 'c'], ['d'], ['a', 'b', 'c', 'd']],
    [
      ['a', 'b', 'c'],
      ['d', 'b'],
      ['a', 'd', 'b', 'c'],
    ],
    [
      ['a', 'b', 'c'],
      ['c', 'a'],
      ['b', 'c', 'a'],
    ],
    [
      ['a', 'b'],
      ['b', 'a'],
      ['b', 'a'],
    ],
    [[], ['b', 'a'], ['b', 'a']],
  ])('orders the live set %j with %j applied as %j', (live, applied, expected) => {
    const object = apply(create(gadget({ size: 1, tags: live }), 'creator'), gadget({ tags: applied }), 'me');
    expect((object['spec'] as { tags: unknown }).tags).toEqual(expected);
  });

  it('removes what its manager applied before and applies no more', () => {
    const live = apply(
      undefined,
      deployment({ replicas: 1, paused: true, ...containers({ name: 'a' }, { name: 'b' }) }),
      'me',
    );
    const next = apply(live, deployment({ replicas: 1, ...containers({ name: 'b' }) }), 'me');
    expect(next['spec']).toEqual({ replicas: 1, ...containers({ name: 'b' }) });
  });

  it('keeps what another manager owns too', () => {
    const first = apply(undefined, deployment({ replicas: 1, paused: true }), 'me');
    const shared = apply(first, deployment({ replicas: 1 }), 'other');
    expect(owners(shared)).toEqual(['me Apply', 'other Apply'].sort());
    const next = apply(shared, deployment({ paused: true }), 'me');
    expect(next['spec']).toEqual({ replicas: 1, paused: true });
    expect(fieldsOf(next, 'me')).toBe('{"f:spec":{"f:paused":{}}}');
  });

  it('keeps an item of which another manager owns a part', () => {
    const first = apply(undefined, deployment(containers({ name: 'a', image: 'x' }, { name: 'b' })), 'me');
    const shared = apply(first, deployment(containers({ name: 'a', args: ['y'] })), 'other');
    const next = apply(shared, deployment(containers({ name: 'b' })), 'me');
    expect(next['spec']).toEqual(containers({ name: 'a', args: ['y'] }, { name: 'b' }));
  });

  it('refuses to change what another manager owns, in the words of the real server', () => {
    const live = create(deployment({ replicas: 1 }), 'kubectl-client-side-apply');
    expect(refusal(() => apply(live, deployment({ replicas: 2 }), 'me'))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "kubectl-client-side-apply" using apps/v1',
            field: '.spec.replicas',
          },
        ],
      },
    });
  });

  it('names several conflicts by manager', () => {
    const live = create(deployment({ replicas: 1, paused: true }), 'b');
    const both = apply(live, deployment({ ...containers({ name: 'x', image: '1' }) }), 'a');
    const config = deployment({ replicas: 2, paused: false, ...containers({ name: 'x', image: '2' }) });
    expect(refusal(() => apply(both, config, 'me')).message).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "a":',
        '- .spec.template.containers[name="x"].image',
        'conflicts with "b" using apps/v1:',
        '- .spec.paused',
        '- .spec.replicas',
      ].join('\n'),
    );
  });

  it('shares a field that is applied with the same value, without a time of its own', () => {
    const live = apply(undefined, deployment({ replicas: 1 }), 'me');
    const shared = apply(live, deployment({ replicas: 1 }), 'other', { now: 9000 });
    expect(fieldsOf(shared, 'other')).toBe(fieldsOf(shared, 'me'));
    expect(shared.metadata.managedFields?.find(({ manager }) => manager === 'other')).not.toHaveProperty('time');
  });

  it('takes fields by force', () => {
    const live = create(deployment({ replicas: 1, paused: true }), 'creator');
    const forced = apply(live, deployment({ replicas: 2 }), 'me', { force: true });
    expect((forced['spec'] as { replicas: number }).replicas).toBe(2);
    expect(fieldsOf(forced, 'creator')).toBe('{"f:spec":{"f:paused":{}}}');
    expect(fieldsOf(forced, 'me')).toBe('{"f:spec":{"f:replicas":{}}}');
  });

  it('gives what nobody tracked to before-first-apply', () => {
    const live = apply(deployment({ replicas: 1 }), deployment({ paused: true }), 'me');
    expect(owners(live)).toEqual(['me Apply', 'before-first-apply Update']);
    expect(refusal(() => apply(live, deployment({ replicas: 2 }), 'me')).message).toContain(
      '"before-first-apply" using apps/v1',
    );
  });

  it('lets kubectl take over what its client-side applies set, and keeps their annotation in step', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const config = deployment({ replicas: 1 });
    const live = create(
      deployment({ replicas: 1, paused: true }, { annotations: { [annotation]: JSON.stringify(config) } }),
      'kubectl-client-side-apply',
    );
    const next = apply(live, deployment({ replicas: 2 }), 'kubectl');
    expect(JSON.parse(next.metadata.annotations?.[annotation] ?? '')).toEqual(deployment({ replicas: 2 }));
    expect(refusal(() => apply(live, deployment({ paused: false }), 'kubectl')).message).toContain('.spec.paused');
    expect(refusal(() => apply(live, deployment({ replicas: 2 }), 'me')).message).toContain('.spec.replicas');
  });

  it.each([
    ['a field nobody declared', deployment({ bogus: 1 }), '.spec.bogus: field not declared in schema'],
    ['a wrong type', deployment({ replicas: 'many' }), '.spec.replicas: expected numeric (int or float), got string'],
    [
      'duplicate keys',
      deployment(containers({ name: 'a' }, { name: 'a' })),
      '.spec.template.containers: duplicate entries for key [name="a"]',
    ],
    ['duplicates in a set', gadget({ tags: ['a', 'a'] }), '.spec.tags: duplicate entries for key [="a"]'],
  ])('refuses %s', (_, config, problem) => {
    const status = refusal(() => apply(undefined, config, 'me'));
    expect(status.code).toBe(500);
    expect(status.message).toMatch(
      /^failed to create typed patch object \((default\/web; apps|\/one; example\.com)\/v1, Kind=\w+\): /,
    );
    expect(status.message).toContain(problem);
  });

  it('refuses managed fields and other versions in what is applied', () => {
    expect(refusal(() => apply(undefined, deployment({}, { managedFields: [] }), 'me')).message).toBe(
      'metadata.managedFields must be nil',
    );
    const options = { apiVersion: 'apps/v2' };
    expect(refusal(() => apply(undefined, deployment({}), 'me', options)).message).toBe(
      'invalid object type: apps/v1, Kind=Deployment',
    );
  });

  it('replaces atomic lists and maps, and merges what has no schema field by field', () => {
    const live = create(gadget({ steps: ['a', 'b'], free: { x: { y: 1 }, list: [1] } }), 'creator');
    const next = apply(live, gadget({ steps: ['c'], free: { x: { z: 2 }, list: [2] } }), 'me', { force: true });
    expect(next['spec']).toEqual({ steps: ['c'], free: { x: { y: 1, z: 2 }, list: [2] } });
  });

  it('treats ownership of parts as ownership of the whole once the schema makes it atomic', () => {
    const live = create(gadget({ options: { a: '1' } }), 'creator');
    const options = {
      ...gadgetSchema.properties!['spec']!.properties!['options']!,
      'x-kubernetes-map-type': 'atomic',
    } as const;
    const spec = { ...gadgetSchema.properties!['spec']!, properties: { options } };
    const atomic: Schema = { ...gadgetSchema, properties: { spec } };
    const message = refusal(() => apply(live, gadget({ options: { b: '2' } }), 'me', { schema: atomic })).message;
    expect(message).toBe('Apply failed with 1 conflict: conflict with "creator" using example.com/v1: .spec.options');
  });
});

const names = ['a', 'b', 'c'] as const;
const value = fc.constantFrom('1', '2');
const specs = fc.record(
  {
    replicas: fc.nat(2),
    paused: fc.boolean(),
    selector: fc.dictionary(fc.constantFrom(...names), value),
    template: fc.record(
      {
        containers: fc.uniqueArray(
          fc.record(
            {
              name: fc.constantFrom(...names),
              image: value,
              env: fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), value }), {
                selector: ({ name }) => name,
              }),
            },
            { requiredKeys: ['name'] },
          ),
          { selector: ({ name }) => name },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const configs = specs.map((spec) => deployment(spec));

/** Entries and list items whose order says nothing. */
const unordered = (object: KubeObject): unknown =>
  JSON.parse(JSON.stringify(object), (_, each: unknown) =>
    Array.isArray(each) ? each.map((item) => JSON.stringify(sortKeys(item))).sort() : each,
  );
const sortKeys = (each: unknown): unknown =>
  typeof each === 'object' && each !== null && !Array.isArray(each)
    ? Object.fromEntries(Object.entries(each).sort())
    : each;

describe('applying', () => {
  it('twice is the same as once', () => {
    fc.assert(
      fc.property(configs, configs, (base, config) => {
        const live = create(base, 'creator');
        const once = apply(live, config, 'me', { force: true });
        expect(apply(once, config, 'me', { now: 60_000 })).toBe(once);
      }),
    );
  });

  it('disjoint fields by two managers gives the same object in either order', () => {
    fc.assert(
      fc.property(specs, fc.nat(2), ({ template, ...rest }, replicas) => {
        const live = create(deployment({}, { labels: { app: 'web' } }), 'creator');
        const containers = [{ name: 'x' }, ...(template?.containers ?? [])];
        const [left, right] = [deployment({ ...rest, replicas }), deployment({ template: { containers } })];
        const one = apply(apply(live, left, 'left'), right, 'right');
        const other = apply(apply(live, right, 'right'), left, 'left');
        expect(unordered(one)).toEqual(unordered(other));
      }),
    );
  });

  it('by force gives every applied field its value and its owner, and drops what was applied before', () => {
    fc.assert(
      fc.property(configs, configs, configs, (base, before, config) => {
        const live = apply(create(base, 'creator'), before, 'me', { force: true });
        const next = apply(live, config, 'me', { force: true });
        const alone = apply(undefined, config, 'me');
        expect(fieldsOf(next, 'me')).toBe(fieldsOf(alone, 'me'));
        const { spec: _, ...nothing } = deployment({});
        const emptied = apply(next, nothing as KubeObject, 'me', { force: true });
        expect(owners(emptied)).not.toContain('me Apply');
      }),
    );
  });

  it('never changes its inputs', () => {
    fc.assert(
      fc.property(configs, configs, (base, config) => {
        const live = create(base, 'creator');
        const texts = JSON.stringify([live, config]);
        apply(live, config, 'me', { force: true });
        expect(JSON.stringify([live, config])).toBe(texts);
      }),
    );
  });
});
