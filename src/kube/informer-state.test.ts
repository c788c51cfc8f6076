import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { type Change, InformerState } from './informer-state.ts';
import { compareResourceVersions } from './resource-version.ts';

const object = (name: string, version: string, uid = `uid-${name}`): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid, resourceVersion: version },
});

function setUp(...listed: KubeObject[]) {
  const changes: string[] = [];
  const state = new InformerState<KubeObject, string>(
    ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`,
    (change: Change<KubeObject, string>) =>
      changes.push(`${change.type} ${change.type === 'update' ? `${change.previous}→` : ''}${change.stored}`),
  );
  state.beginList();
  for (const item of listed) state.listed(item);
  state.endList('100');
  changes.length = 0;
  return { state, changes };
}

describe('InformerState', () => {
  it('turns events into changes and keeps its position', () => {
    const { state, changes } = setUp();
    state.event('ADDED', object('a', '101'));
    state.event('MODIFIED', object('a', '103'));
    state.bookmark('110');
    state.event('DELETED', object('a', '111'));
    expect(changes).toEqual(['add a@101', 'update a@101→a@103', 'delete a@103']);
    expect(state.resourceVersion).toBe('111');
  });

  it('drops replays of known objects, of deleted ones, and of those deleted before the first list', () => {
    const { state, changes } = setUp(object('a', '90'));
    expect(state.event('ADDED', object('a', '90'))).toBe(false);
    expect(state.event('MODIFIED', object('a', '80'))).toBe(false);
    expect(state.event('ADDED', object('ghost', '50'))).toBe(false);
    state.event('DELETED', object('a', '101'));
    expect(state.event('ADDED', object('a', '90'))).toBe(false);
    expect(state.event('DELETED', object('a', '101'))).toBe(false);
    expect(changes).toEqual(['delete a@90']);
  });

  it('recognises a replay by equality where versions are not numbers', () => {
    const { state, changes } = setUp();
    state.event('ADDED', object('a', 'x1'));
    expect(state.event('ADDED', object('a', 'x1'))).toBe(false);
    state.event('MODIFIED', object('a', 'x0'));
    state.event('DELETED', object('a', 'x9'));
    expect(state.event('DELETED', object('a', 'x9'))).toBe(false);
    expect(changes).toEqual(['add a@x1', 'update a@x1→a@x0', 'delete a@x0']);
  });

  it('detects that a name belongs to a new object', () => {
    const { state, changes } = setUp(object('a', '90', 'first'));
    state.event('ADDED', object('a', '105', 'second'));
    expect(state.event('DELETED', object('a', '104', 'first'))).toBe(false);
    expect(changes).toEqual(['delete a@90', 'add a@105']);
  });

  it('adds an object again that left a selection and came back', () => {
    const { state, changes } = setUp(object('a', '90'));
    state.event('DELETED', object('a', '101'));
    state.event('ADDED', object('a', '102'));
    expect(changes).toEqual(['delete a@90', 'add a@102']);
  });

  it('reports only the differences after a new list', () => {
    const { state, changes } = setUp(
      object('same', '1'),
      object('changed', '2'),
      object('gone', '3'),
      object('re', '4', 'u1'),
    );
    state.beginList();
    for (const item of [
      object('same', '1'),
      object('changed', '102'),
      object('new', '103'),
      object('re', '104', 'u2'),
    ]) {
      state.listed(item);
    }
    expect(changes).toEqual(['update changed@2→changed@102', 'add new@103', 'delete re@4', 'add re@104']);
    state.endList('110');
    expect(changes.at(-1)).toBe('delete gone@3');
    expect(changes.length).toBe(5);
  });

  it('deletes nothing when a list started but did not end', () => {
    const { state, changes } = setUp(object('a', '1'), object('b', '2'));
    state.beginList();
    state.listed(object('a', '1'));
    state.beginList();
    state.listed(object('a', '1'));
    state.listed(object('b', '2'));
    state.endList('110');
    expect(changes).toEqual([]);
  });

  it('never goes back to an older version because of a replayed bookmark', () => {
    const { state } = setUp();
    state.bookmark('120');
    state.bookmark('110');
    expect(state.resourceVersion).toBe('120');
  });
});

it('compares versions as numbers', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (a, b) => {
      const expected = a < b ? -1 : a > b ? 1 : 0;
      expect(Math.sign(compareResourceVersions(String(a), String(b)) ?? Number.NaN)).toBe(expected);
    }),
  );
  expect(compareResourceVersions('a', 'b')).toBeUndefined();
  expect(compareResourceVersions('a', 'a')).toBe(0);
  expect(compareResourceVersions('007', '8')).toBeUndefined();
});
