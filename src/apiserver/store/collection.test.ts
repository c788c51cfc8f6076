import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Collection, createCollection } from './collection.ts';
import { type Entry, entryOf } from './entry.ts';
import type { Change } from './store.ts';

const entry = (name: string, revision: number): Entry => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, resourceVersion: String(revision) } };
  return entryOf(object, revision);
};
const revisions = (entries: readonly Entry[] | undefined) => entries?.map(({ revision }) => revision);
const names = (entries: readonly Entry[]) => entries.map(({ object }) => object.metadata.name);

it('lists in key order whatever the order of writes, and by prefix', () => {
  const collection = createCollection(10, 0);
  const keys = ['b/2', 'a/9', 'b/1', 'b-c/1', 'a/10', 'c/1'];
  for (const [index, key] of keys.entries()) collection.put(key, entry(key, index + 1));
  expect(names(collection.entries(''))).toEqual(['a/10', 'a/9', 'b-c/1', 'b/1', 'b/2', 'c/1']);
  expect(names(collection.entries('b/'))).toEqual(['b/1', 'b/2']);
  expect(names(collection.entries('d/'))).toEqual([]);
  expect([...collection.keyed()].map(({ key }) => key)).toEqual(names(collection.entries('')));
});

it('passes the type of change and the previous state to listeners', () => {
  const collection = createCollection(10, 0);
  const observed: Change[] = [];
  const stop = collection.listen((change) => observed.push(change));
  collection.put('a', entry('a', 1));
  collection.put('a', entry('a', 2));
  collection.remove('a', entry('a', 3));
  collection.remove('a', entry('a', 4));
  stop();
  collection.put('a', entry('a', 5));
  expect(observed.map(({ type, revision, previous }) => [type, revision, previous?.revision])).toEqual([
    ['ADDED', 1, undefined],
    ['MODIFIED', 2, 1],
    ['DELETED', 3, 2],
  ]);
});

it('drops the oldest changes and then reports that, instead of omitting some', () => {
  const limit = 4;
  const collection = createCollection(limit, 0);
  for (let revision = 1; revision <= 40; revision++) {
    collection.put('a', entry('a', revision));
    for (let since = 0; since <= revision; since++) {
      const changes = collection.changesSince(since);
      if (changes === undefined) expect(revision - since).toBeGreaterThan(limit);
      else expect(changes.map((change) => change.revision)).toEqual(range(since + 1, revision));
    }
  }
  expect(collection.changesSince(10)).toBeUndefined();
});

it('has no changes from before its history was sealed', () => {
  const collection = createCollection(10, 0);
  collection.put('a', entry('a', 1));
  collection.put('a', entry('a', 2));
  collection.sealHistory(2);
  expect(collection.changesSince(1)).toBeUndefined();
  expect(collection.entriesAt('', 1)).toBeUndefined();
  expect(collection.changesSince(2)).toEqual([]);
  expect(revisions(collection.entriesAt('', 2))).toEqual([2]);
});

it('lists a past revision', () => {
  const key = fc.constantFrom('a/1', 'a/2', 'b/1', 'b/2');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 30 }), (steps) => {
      const collection = createCollection(100, 0);
      const past: Record<string, number[] | undefined>[] = [snapshot(collection)];
      for (const [isPut, name] of steps) {
        const revision = past.length;
        if (isPut) collection.put(name, entry(name, revision));
        else collection.remove(name, entry(name, revision));
        past.push(snapshot(collection));
      }
      for (const [revision, state] of past.entries())
        for (const prefix of prefixes) expect(revisions(collection.entriesAt(prefix, revision))).toEqual(state[prefix]);
    }),
  );
});

const prefixes = ['', 'a/', 'b/'];
const snapshot = (collection: Collection) =>
  Object.fromEntries(prefixes.map((prefix) => [prefix, revisions(collection.entries(prefix))]));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
