import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { FieldsError, shapeOfKind } from '../../schema/index.ts';
import { compare, withoutFields } from './compare.ts';
import { createdFields } from './created-fields.ts';
import { FieldSet } from './field-set.ts';
import { FieldTrie } from './field-trie.ts';
import { withoutStripped } from './ownership.ts';
import { containers, deployment, deploymentSchema } from './schemas.fixture.ts';

const ignored = FieldSet.ofFields(['status']);
const context = { apiVersion: 'apps/v1', schema: deploymentSchema, ignored };

/** Worked out from scratch. */
function reference(object: JsonObject): FieldSet {
  const { modified, added } = withoutFields(compare({}, object, deploymentSchema), ignored);
  return withoutStripped(modified.union(added));
}

const name = fc.constantFrom('a', 'b', '}', '1:a', '');
const container = fc.record(
  {
    name,
    image: fc.constantFrom('', 'x', null),
    resources: fc.constantFrom({}, null, { limits: {} }, { limits: { cpu: 1 } }),
    ports: fc.array(fc.record({ containerPort: fc.constantFrom(0, 80, 81) }), { maxLength: 2 }),
    args: fc.array(name, { maxLength: 2 }),
  },
  { requiredKeys: ['name'] },
);
const objects = fc
  .record(
    {
      replicas: fc.constantFrom(0, 1, 2, null),
      paused: fc.boolean(),
      selector: fc.constantFrom({}, { matchLabels: {} }, { matchLabels: { a: 'b' } }),
      template: fc.record({ containers: fc.array(container, { maxLength: 3 }) }),
      unknown: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  )
  .chain((spec) =>
    fc
      .record({ labels: fc.dictionary(name, fc.constantFrom('', 'x')), status: fc.constantFrom({}, { replicas: 0 }) })
      .map(({ labels, status }) => ({ ...deployment(spec, { labels }), status }) as unknown as JsonObject),
  );

describe('createdFields', () => {
  it('says of every object what is worked out from scratch, whatever objects came before it', () => {
    fc.assert(
      fc.property(objects, (object) => {
        expect(createdFields(object, context).paths()).toEqual(reference(object).paths());
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same set, rendered once, for objects of one template', () => {
    const made = (image: string) =>
      deployment({ ...containers({ name: 'a', image }) }, { name: image }) as unknown as JsonObject;
    expect(createdFields(made('x'), context)).toBe(createdFields(made('y'), context));
  });
});

it('leaves an object to be worked out, or refused, where an item has no identity', () => {
  const object = deployment({ template: { containers: [{ name: 'a', env: [{ value: 'x' }] }] } });
  expect(() => createdFields(object as unknown as JsonObject, context)).toThrow(FieldsError);
});

describe('FieldTrie', () => {
  it.each([
    ['a name and what looks like one', { a: 'x', b: 'x' }, { 'a.b': 'x' }],
    ['a zero and a value', { x: '' }, { x: 'x' }],
    ['nothing and an empty map', { x: null }, { x: {} }],
  ])('tells %s apart', (_, labels, others) => {
    const trie = new FieldTrie(1_000);
    const nodeOf = (object: object) => trie.nodeOf(shapeOfKind(deploymentSchema), object);
    expect(nodeOf({ metadata: { labels } })).not.toBe(nodeOf({ metadata: { labels: others } }));
    expect(nodeOf({ metadata: { labels } })).toBe(nodeOf({ metadata: { labels } }));
  });

  it('starts anew when it has grown too large', () => {
    const trie = new FieldTrie(10);
    const nodeOf = (name: string) =>
      trie.nodeOf(shapeOfKind(deploymentSchema), { metadata: { labels: { [name]: 'x' } } });
    const first = nodeOf('a');
    expect(nodeOf('a')).toBe(first);
    for (const name of ['b', 'c', 'd', 'e', 'f']) nodeOf(name);
    expect(nodeOf('a')).not.toBe(first);
  });
});
