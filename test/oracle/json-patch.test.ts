import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/index.ts';
import { applyJsonPatch, applyMergePatch } from '../../src/object/index.ts';
import { attempt, createOracle } from './kubectl-oracle.ts';

const oracle = await createOracle();
const seed = 20_240_607;

const widget = (spec: Json, index: number): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: `w${index}` },
  spec,
});

/** Few keys, so that patches meet what they talk about. Nulls in lists make upstream's `test` panic. */
const key = fc.constantFrom('a', 'b', 'c~/d');
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json[]>(1, 2, 1.5, 'x', '', true, 9_007_199_254_740_993n),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, fc.oneof({ weight: 5, arbitrary: tie('json') }, { weight: 1, arbitrary: fc.constant(null) }), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));
const object = fc.dictionary(key, json, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

describe.skipIf(oracle.skip)('JSON patches against kubectl', () => {
  const token = fc.constantFrom('a', 'b', 'c~0~1d', '0', '1', '2', '-', '-1', '01', '+1', 'x');
  const path = fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => `/spec/${tokens.join('/')}`);
  const operation = fc.oneof(
    fc.record({ op: fc.constantFrom('add', 'add', 'replace', 'test'), path, value: json }),
    fc.record({ op: fc.constant('remove'), path }),
    fc.record({ op: fc.constantFrom('move', 'copy'), path, from: path }),
  );

  test('random operations on random documents end alike', { timeout: 90_000 }, async () => {
    const documents = fc.sample(object, { seed, numRuns: 40 }).map(widget);
    const patches = fc.sample(fc.array(operation, { minLength: 1, maxLength: 2 }), { seed, numRuns: 30 });
    await compare(documents, patches as unknown as Json[]);
  });

  test('every oddity that clients rely on is the same', { timeout: 60_000 }, async () => {
    const spec: Json[] = [{ a: [1, 2], b: { c: null } }, { a: 1 }, { b: [] }];
    await compare(spec.map(widget), [
      [{ op: 'replace', path: '/spec/missing', value: 1 }],
      [{ op: 'copy', from: '/spec/missing', path: '/spec/z' }],
      [{ op: 'test', path: '/spec/missing', value: null }],
      [{ op: 'test', path: '/spec/b/c' }],
      [{ op: 'add', path: '/spec/z' }],
      [{ op: 'add', path: 'spec/z', value: 1 }],
      [{ op: 'add', path: '/spec/a/-', value: null }],
      [{ op: 'move', from: '/spec/a', path: '/spec/a/b' }],
      [{ op: 'unknown', path: '/spec/a' }],
      [{ op: 'add', value: 1 }],
      [{ op: 'remove', path: '/spec' }],
    ]);
    const whole = { apiVersion: 'v1', kind: 'Other', metadata: { name: 'w0' } };
    await compare(
      [widget(null, 0)],
      [
        [
          { op: 'replace', path: '', value: whole },
          { op: 'test', path: '', value: whole },
        ],
      ],
    );
  });

  async function compare(documents: readonly JsonObject[], patches: readonly Json[]): Promise<void> {
    let applied = 0;
    for (const patch of patches) {
      const kubectl = await oracle.patch('json', documents, patch);
      documents.forEach((document, index) => {
        const ours = attempt(() => applyJsonPatch(document, patch));
        const context = `${JSON.stringify(document, bigints)} with ${JSON.stringify(patch, bigints)}`;
        expect(ours.value, context).toEqual(kubectl.objects.get(`w${index}`));
        expect(kubectl.stderr, context).toContain(asKubectlSays(ours.message));
        if (ours.value) applied++;
      });
    }
    expect(applied).toBeGreaterThanOrEqual(patches.length);
  }
});

describe.skipIf(oracle.skip)('merge patches against kubectl', () => {
  test('random patches on random documents end alike', { timeout: 60_000 }, async () => {
    const documents = fc.sample(object, { seed, numRuns: 60 }).map(widget);
    for (const spec of fc.sample(object, { seed: seed + 1, numRuns: 15 })) {
      const kubectl = await oracle.patch('merge', documents, { spec });
      documents.forEach((document, index) => {
        const context = `${JSON.stringify(document, bigints)} with ${JSON.stringify(spec, bigints)}`;
        expect(applyMergePatch(document, { spec }), context).toEqual(kubectl.objects.get(`w${index}`));
      });
    }
  });
});

/** kubectl words this one error in its own way. */
function asKubectlSays(message: string): string {
  const [, rest] = /^replace operation does not apply: doc is missing key: (.*)$/.exec(message) ?? [];
  return rest === undefined ? message : `Object to be patched is missing field (${rest})`;
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
