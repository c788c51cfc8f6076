import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../base/index.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../object/index.ts';
import { jsonOf } from './entry.ts';
import { RecentValues } from './recent-values.ts';
import { SharedFields } from './shared-fields.ts';
import { SharedMetadata } from './shared-metadata.ts';
import { SharedTexts } from './shared-texts.ts';
import { type EntrySources, StoredEntry } from './stored-entry.ts';

const sources = (): EntrySources => ({
  fields: new SharedFields(),
  metadata: new SharedMetadata(),
  texts: new SharedTexts(),
  values: new RecentValues(),
});

const owner = (manager: string, field: string): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  fieldsV1: { 'f:data': { [field]: {} } },
});
const object = (name: string, managedFields?: readonly ManagedFieldsEntry[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { a: 'b' }, ...(managedFields ? { managedFields } : {}) },
  data: { text: 'ü"\\\u2028' },
});
const stamped = (given: KubeObject, revision: number): KubeObject => ({
  ...given,
  metadata: { ...given.metadata, resourceVersion: String(revision) },
});

it.each([
  ['no managed fields', object('a')],
  ['none left of them', object('a', [])],
  ['one manager', object('a', [owner('m', 'f:x')])],
  ['several managers, one without fields', object('a', [owner('m', 'f:x'), { manager: 'n' }, owner('o', 'f:y')])],
  ['fields without a manager', object('a', [{ fieldsV1: {} }])],
  ['nothing but metadata', { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' } }],
  ['an integer beyond doubles', { ...object('a'), spec: { int64: 9_007_199_254_740_993n } }],
])('has the same object as value, as JSON and read from its JSON again: %s', (_, given) => {
  const { values, ...shared } = sources();
  const entry = StoredEntry.of(given, 7, { ...shared, values });
  expect(entry.object).toEqual(stamped(given, 7));
  expect(entry.metadata).toBe(entry.object.metadata);
  values.clear();
  expect(entry.object).toEqual(stamped(given, 7));
  expect(parseJson(jsonOf(entry))).toEqual(stamped(given, 7));
  expect(jsonOf(entry).startsWith(`{"apiVersion":"v1","kind":"${given.kind}","metadata":{`)).toBe(true);
});

it('writes and reads any JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.dictionary(fc.string(), fc.string()), (spec, labels) => {
      const { values, ...shared } = sources();
      const given = { ...object('a', [owner('m', 'f:x')]), spec, metadata: { name: 'a', labels } } as KubeObject;
      fc.pre(!JSON.stringify(given).includes('__proto__'));
      const entry = StoredEntry.of(given, 1, { ...shared, values });
      values.clear();
      // What JSON makes of it: it has no negative zero.
      const expected = parseJson(JSON.stringify(stamped(given, 1)));
      expect(parseJson(jsonOf(entry))).toEqual(expected);
      expect(entry.object).toEqual(expected);
    }),
  );
});

it('shares the text of field sets between objects', () => {
  const shared = sources();
  const a = StoredEntry.of(object('a', [owner('m', 'f:x')]), 1, shared);
  const b = StoredEntry.of(object('b', [owner('m', 'f:x')]), 2, shared);
  expect(a.texts).toHaveLength(4);
  expect(a.texts[1]).toBe('{"f:data":{"f:x":{}}}');
  expect(b.metadata.managedFields?.[0]?.fieldsV1).toBe(a.metadata.managedFields?.[0]?.fieldsV1);
  expect(a.ownLength).toBeLessThan(jsonOf(a).length);
});

it('shares equal labels, owners and managers between objects, and keeps different ones apart', () => {
  const shared = sources();
  const write = (name: string, labels: Readonly<Record<string, string>>, time: string) => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' }];
    const managedFields = [{ ...owner('m', 'f:x'), time }];
    const metadata = { name, labels, annotations: { text: 'x'.repeat(3_000) }, ownerReferences, managedFields };
    return StoredEntry.of({ ...object(name), metadata }, 1, shared);
  };
  const [a, b, c] = [write('a', { app: 'web' }, '1'), write('b', { app: 'web' }, '1'), write('c', { app: 'x' }, '2')];
  expect(b.metadata).toMatchObject({ name: 'b', labels: { app: 'web' }, managedFields: [{ manager: 'm', time: '1' }] });
  expect(b.metadata.labels).toBe(a.metadata.labels);
  expect(b.metadata.ownerReferences).toBe(a.metadata.ownerReferences);
  expect(b.metadata.managedFields?.[0]).toBe(a.metadata.managedFields?.[0]);
  expect(c.metadata).toMatchObject({ labels: { app: 'x' }, managedFields: [{ manager: 'm', time: '2' }] });
});

it('does not change the object that it is given', () => {
  const shared = sources();
  const first = StoredEntry.of(object('a'), 1, shared);
  const given = object('b', [owner('m', 'f:x')]);
  const { labels } = given.metadata;
  const entry = StoredEntry.of(given, 2, shared);
  expect(entry.metadata.labels).toBe(first.metadata.labels);
  expect(given.metadata.labels).toBe(labels);
  expect(given.metadata.labels).not.toBe(first.metadata.labels);
});

it('caches a value while it is in use, and can always parse it again', () => {
  const shared = sources();
  const [first, ...others] = Array.from({ length: 100 }, (_, i) => StoredEntry.of(object(`o${i}`), i, shared));
  const read = first!.object;
  expect(others.at(-1)!.object).toBe(others.at(-1)!.object);
  for (const entry of others) expect(entry.object.metadata).toBe(entry.metadata);
  expect(first!.object).toBe(read);
});
