import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldsError, renderPath } from '../../schema/index.ts';
import type { Schema } from '../schema/index.ts';
import { compare } from './compare.ts';
import { fieldSetOf } from './field-set-of.ts';
import { containers, deployment, deploymentSchema, gadget, gadgetSchema } from './schemas.fixture.ts';

function changes(before: unknown, after: unknown, schema: Schema | undefined) {
  const { added, modified, removed } = compare(before, after, schema);
  const list = (set: typeof added) => set.paths().map(renderPath);
  return { added: list(added), modified: list(modified), removed: list(removed) };
}

const none = { added: [], modified: [], removed: [] };

describe('compare', () => {
  it('finds a changed scalar', () => {
    expect(changes(deployment({ replicas: 1 }), deployment({ replicas: 2 }), deploymentSchema)).toEqual({
      ...none,
      modified: ['.spec.replicas'],
    });
  });

  it('names the items of associative lists by their keys, with the default of a key that is absent', () => {
    const before = deployment(containers({ name: 'a', ports: [{ containerPort: 80 }] }));
    const after = deployment(
      containers({
        name: 'a',
        ports: [
          { containerPort: 80, protocol: 'TCP', name: 'x' },
          { containerPort: 80, protocol: 'UDP' },
        ],
      }),
    );
    expect(changes(before, after, deploymentSchema)).toEqual({
      ...none,
      added: [
        '.spec.template.containers[name="a"].ports[containerPort=80,protocol="UDP"]',
        '.spec.template.containers[name="a"].ports[containerPort=80,protocol="TCP"].name',
        '.spec.template.containers[name="a"].ports[containerPort=80,protocol="TCP"].protocol',
        '.spec.template.containers[name="a"].ports[containerPort=80,protocol="UDP"].containerPort',
        '.spec.template.containers[name="a"].ports[containerPort=80,protocol="UDP"].protocol',
      ],
    });
  });

  it('does not care for the order of associative lists', () => {
    const [a, b] = [
      { name: 'a', image: 'x' },
      { name: 'b', image: 'y' },
    ];
    expect(changes(deployment(containers(a, b)), deployment(containers(b, a)), deploymentSchema)).toEqual(none);
  });

  it('takes atomic lists and maps as one value', () => {
    const before = deployment({ selector: { a: '1' }, ...containers({ name: 'a', args: ['x', 'y'] }) });
    const after = deployment({ selector: { a: '1', b: '2' }, ...containers({ name: 'a', args: ['y', 'x'] }) });
    expect(changes(before, after, deploymentSchema).modified).toEqual([
      '.spec.selector',
      '.spec.template.containers[name="a"].args',
    ]);
  });

  it('takes the always present structs of a built-in kind as present where the JSON is silent', () => {
    const created = changes({}, deployment(containers({ name: 'a' })), deploymentSchema);
    expect(created.added).not.toContain('.spec');
    expect(created.added).not.toContain('.spec.template.containers');
    expect(created.added).toContain('.spec.template.containers[name="a"].resources');
  });

  it('owns every level of a custom resource, which has no such structs', () => {
    expect(changes({}, gadget({ options: { a: '1' } }), gadgetSchema).added).toEqual(
      expect.arrayContaining(['.spec', '.spec.options', '.spec.options.a']),
    );
  });

  it('names the items of sets by value', () => {
    expect(changes(gadget({ tags: ['a', 'b'] }), gadget({ tags: ['b', 'c'] }), gadgetSchema)).toEqual({
      added: ['.spec.tags[="c"]'],
      modified: [],
      removed: ['.spec.tags[="a"]'],
    });
  });

  it('finds fields that are called like what every object inherits', () => {
    expect(changes({ a: {} }, { a: { toString: 0, constructor: 1 } }, undefined).added).toEqual([
      '.a.constructor',
      '.a.toString',
    ]);
  });

  it('tells null from empty', () => {
    expect(changes(gadget({ options: null }), gadget({ options: {} }), gadgetSchema).modified).toEqual([
      '.spec.options',
    ]);
  });

  it('looks at a value that changed its form in both forms', () => {
    expect(changes(gadget({ free: { a: 1 } }), gadget({ free: { a: { b: 2 } } }), gadgetSchema)).toEqual({
      added: ['.spec.free.a.b'],
      modified: ['.spec.free.a'],
      removed: [],
    });
  });

  it('goes field by field through what has no schema, and takes its lists as one value', () => {
    expect(changes({ a: { b: [1, { c: 2 }], d: 1 } }, { a: { b: [1], d: 1 } }, undefined).modified).toEqual(['.a.b']);
  });

  it('takes items that share an identity as one value', () => {
    const twice = gadget({ tags: ['a', 'a'] });
    expect(changes(twice, gadget({ tags: ['a', 'a'] }), gadgetSchema)).toEqual(none);
    expect(changes(gadget({ tags: ['a'] }), twice, gadgetSchema)).toEqual({
      added: ['.spec.tags[="a"]'],
      modified: [],
      removed: ['.spec.tags[="a"]'],
    });
  });

  it('refuses lists whose items have no identity', () => {
    const nameless = deployment(containers({ name: 'a', env: [{ value: 'x' }] }));
    expect(() => compare(nameless, deployment(containers({ name: 'a', env: [] })), deploymentSchema)).toThrow(
      FieldsError,
    );
    expect(() => compare(gadget({ tags: [] }), gadget({ tags: [null] }), gadgetSchema)).toThrow(FieldsError);
  });

  it('finds nothing between a value and its copy, and swaps added and removed with the sides', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (a, b) => {
        const [left, right] = [{ spec: a }, { spec: b }];
        expect(changes(left, structuredClone(left), undefined)).toEqual(none);
        const [forth, back] = [changes(left, right, undefined), changes(right, left, undefined)];
        expect([forth.added, forth.removed, forth.modified]).toEqual([back.removed, back.added, back.modified]);
      }),
    );
  });
});

describe('fieldSetOf', () => {
  const fieldsOf = (value: unknown, schema: Schema | undefined) => fieldSetOf(value, schema).paths().map(renderPath);

  it('lists leaves, and the items of associative lists with what is in them', () => {
    expect(
      fieldsOf(
        { spec: { replicas: 1, selector: { a: '1' }, ...containers({ name: 'a', args: ['x'] }) } },
        deploymentSchema,
      ),
    ).toEqual([
      '.spec.replicas',
      '.spec.selector',
      '.spec.template.containers[name="a"]',
      '.spec.template.containers[name="a"].args',
      '.spec.template.containers[name="a"].name',
    ]);
  });

  it('lists fields that the schema does not name even when something is below them', () => {
    expect(fieldsOf({ spec: { options: { a: '1' }, free: { x: { y: 1 } } } }, gadgetSchema)).toEqual([
      '.spec.free.x',
      '.spec.free.x.y',
      '.spec.options.a',
    ]);
  });

  it('lists empty maps and nulls but not empty associative lists', () => {
    expect(fieldsOf({ spec: { options: {}, size: null, tags: [], steps: [] } }, gadgetSchema)).toEqual([
      '.spec.options',
      '.spec.size',
      '.spec.steps',
    ]);
  });
});
