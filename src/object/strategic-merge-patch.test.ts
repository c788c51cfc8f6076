import { describe, expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import type { PatchSchema } from './patch-schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const text: PatchSchema = {};
const listByName = (properties: Record<string, PatchSchema> = {}): PatchSchema => ({
  items: { properties: { name: text, ...properties } },
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
});
const schema: PatchSchema = {
  properties: {
    containers: listByName({ env: listByName(), args: { items: text } }),
    volumes: { ...listByName(), 'x-kubernetes-patch-strategy': 'merge,retainKeys' },
    finalizers: { items: text, 'x-kubernetes-patch-strategy': 'merge' },
    tolerations: { items: { properties: { key: text } } },
    labels: { additionalProperties: text },
    strategy: {
      allOf: [{ properties: { type: text, rollingUpdate: {} } }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
    whole: { properties: { a: text }, 'x-kubernetes-patch-strategy': 'replace' },
  },
};
const apply = (original: Json, patch: Json) => applyStrategicMergePatch(original, patch, schema);
const named = (...names: string[]) => names.map((name) => ({ name }));

describe('a strategic merge patch', () => {
  test.each<[string, Json, Json, Json]>([
    [
      'merges maps and removes nulls',
      { labels: { a: '1', b: '2' } },
      { labels: { b: null, c: '3' } },
      { labels: { a: '1', c: '3' } },
    ],
    [
      'merges elements with the same key and puts new ones first, where no order is known',
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
        ],
      },
      { containers: [{ name: 'new' }, { name: 'b', image: '3' }] },
      {
        containers: [{ name: 'a', image: '1' }, { name: 'new' }, { name: 'b', image: '3' }]
          .slice(0, 0)
          .concat([{ name: 'new' }, { name: 'a', image: '1' }, { name: 'b', image: '3' }]),
      },
    ],
    [
      'merges below list elements',
      { containers: [{ name: 'a', env: [{ name: 'x', value: '1' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'y', value: '2' }] }] },
      {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'y', value: '2' },
              { name: 'x', value: '1' },
            ],
          },
        ],
      },
    ],
    [
      'replaces atomic lists',
      { tolerations: [{ key: 'a' }], containers: [{ name: 'a', args: ['1'] }] },
      { tolerations: [{ key: 'b' }], containers: [{ name: 'a', args: [] }] },
      { tolerations: [{ key: 'b' }], containers: [{ name: 'a', args: [] }] },
    ],
    [
      'merges primitives as a set',
      { finalizers: ['a', 'b'] },
      { finalizers: ['c', 'a'] },
      { finalizers: ['c', 'a', 'b'] },
    ],
    [
      'deletes from a primitive list',
      { finalizers: ['a', 'b'] },
      { '$deleteFromPrimitiveList/finalizers': ['a'] },
      { finalizers: ['b'] },
    ],
    [
      'deletes an element',
      { containers: named('a', 'b') },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: named('b') },
    ],
    [
      'replaces a list on request',
      { containers: named('a', 'b') },
      { containers: [{ name: 'c' }, { $patch: 'replace' }] },
      { containers: named('c') },
    ],
    [
      'replaces a map on request',
      { labels: { a: '1' } },
      { labels: { $patch: 'replace', b: '2' } },
      { labels: { b: '2' } },
    ],
    ['empties a map on request', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    ['replaces a map by strategy', { whole: { a: '1' } }, { whole: { b: '2' } }, { whole: { b: '2' } }],
    [
      'retains only the named keys',
      { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'retains keys in list elements',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: {} }] },
      { volumes: [{ name: 'v', hostPath: {} }] },
    ],
    [
      'sets the order of objects',
      { containers: named('a', 'b', 'c') },
      { '$setElementOrder/containers': named('c', 'a') },
      { containers: named('b', 'c', 'a') },
    ],
    [
      'sets the order of primitives',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['c', 'a'], finalizers: ['c'] },
      { finalizers: ['c', 'a', 'b'] },
    ],
    [
      'puts an added element in the position of a deleted one',
      { containers: named('a', 'sidecar', 'b') },
      {
        '$setElementOrder/containers': named('a', 'new'),
        containers: [{ name: 'new' }, { name: 'b', $patch: 'delete' }],
      },
      { containers: named('a', 'sidecar', 'new') },
    ],
    [
      'takes a new value without nulls and $patch elements',
      {},
      { labels: { a: null, b: '1' }, containers: [{ name: 'x', $patch: 'delete' }, { name: 'y' }] },
      { labels: { b: '1' }, containers: named('y') },
    ],
    ['replaces a value of another type', { labels: 'text' }, { labels: { a: '1' } }, { labels: { a: '1' } }],
    [
      'merges fields that the schema does not know',
      { other: { a: 1, l: [1] } },
      { other: { b: 2, l: [2] } },
      { other: { a: 1, b: 2, l: [2] } },
    ],
  ])('%s', (_, original, patch, expected) => {
    const before = JSON.stringify([original, patch]);
    expect(apply(original, patch)).toEqual(expected);
    expect(JSON.stringify([original, patch])).toBe(before);
  });

  test.each<[Json, Json, string]>([
    [{ containers: named('a') }, { containers: [{ image: 'x' }] }, 'does not contain declared merge key: name'],
    [{ labels: {} }, { labels: { $patch: 'merge' } }, 'unknown patch type'],
    [
      { containers: named('a') },
      { containers: [{ name: 'a', $patch: 'merge' }] },
      'merging lists cannot yet be specified',
    ],
    [{ finalizers: ['a'] }, { finalizers: [1] }, 'list element types are not identical'],
    [{ finalizers: [] }, { finalizers: [['b']] }, 'lists of lists are not supported'],
    [{ strategy: {} }, { strategy: { $retainKeys: ['a'], type: 'x' } }, 'invalid patch format of retainKeys'],
    [{ strategy: {} }, { strategy: { $retainKeys: 'a' } }, 'invalid patch format of retainKeys'],
    [{ finalizers: ['a'] }, { $deleteFromPrimitiveListfinalizers: ['a'] }, 'invalid patch format of primitive list'],
    [
      { containers: named('a') },
      { '$setElementOrder/containers': named('a'), containers: named('b') },
      "doesn't match $setElementOrder",
    ],
    [{ containers: named('a') }, { '$setElementOrder/containers': 'a' }, 'expected a list'],
  ])('rejects %j with %j: %s', (original, patch, message) => {
    expect(() => apply(original, patch)).toThrow(message);
  });

  test('a patch must be an object', () => {
    expect(() => apply({}, [])).toThrow('invalid JSON document');
  });
});
