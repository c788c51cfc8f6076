import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../schema/index.ts';
import { applyDefaults } from './apply-defaults.ts';
import { pruneUnknown } from './prune.ts';
import { validate } from './validate.ts';

const leaf: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  { type: 'string' },
  { type: 'string', default: 'd' },
  { type: 'integer', default: 1 },
  { type: 'boolean', nullable: true },
  { 'x-kubernetes-int-or-string': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
);
const { schema: schemas } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'))
      .map((properties): Schema => ({ type: 'object', properties })),
    tie('schema').map((items): Schema => ({ type: 'array', items })),
    tie('schema').map((additionalProperties): Schema => ({ type: 'object', additionalProperties })),
  ),
}));
const roots = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), schemas)
  .map((properties): Schema => ({ type: 'object', properties }));
const objects = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
);

describe('every walk over every schema', () => {
  it('leaves its input alone, and has nothing left to do the second time', () => {
    fc.assert(
      fc.property(roots, objects, (schema, object) => {
        const before = structuredClone(object);
        const pruned = pruneUnknown(object, schema);
        const filled = applyDefaults(pruned.object, schema);
        validate(filled, schema);
        expect(object).toEqual(before);
        expect(pruneUnknown(pruned.object, schema)).toEqual({ object: pruned.object, dropped: [] });
        expect(pruneUnknown(pruned.object, schema).object).toBe(pruned.object);
        expect(applyDefaults(filled, schema)).toEqual(filled);
      }),
    );
  });

  it('reports exactly what it drops', () => {
    fc.assert(
      fc.property(roots, objects, (schema, object) => {
        const { object: pruned, dropped } = pruneUnknown(object, schema);
        expect(dropped.length === 0).toBe(pruned === object);
      }),
    );
  });
});
