import { expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { jsonOf } from './entry.ts';
import { Store } from './store.ts';

const object = (name: string): KubeObject => ({
  kind: 'ConfigMap',
  metadata: { name },
  data: { a: '1' },
  apiVersion: 'v1',
});

it('has one revision counter for all collections, and sets it on stored objects', () => {
  const store = new Store();
  const first = store.put('/configmaps', 'default/a', object('a'));
  const second = store.put('/secrets', 'default/a', object('a'));
  expect([first.revision, second.revision, store.revision]).toEqual([2, 3, 3]);
  expect(first.object.metadata.resourceVersion).toBe('2');
  expect(JSON.parse(jsonOf(first))).toEqual(first.object);
  expect(jsonOf(first)).toMatch(/^\{"apiVersion":"v1","kind":"ConfigMap","metadata":\{/);
});

it('does not change the given object', () => {
  const given = object('a');
  new Store().put('/configmaps', 'default/a', given);
  expect(given).toEqual(object('a'));
});

it('gives a removal its own revision, set on the last state', () => {
  const store = new Store();
  store.put('/configmaps', 'default/a', object('a'));
  const removed = store.remove('/configmaps', 'default/a', object('a'));
  expect(removed.object.metadata.resourceVersion).toBe('3');
  expect(store.collection('/configmaps').get('default/a')).toBeUndefined();
});

it('notifies its observer of every change before other listeners, with the state already stored', () => {
  const observed: string[] = [];
  const store = new Store(undefined, (storage, { type, key }) => {
    observed.push(`observer ${type} ${storage} ${key} ${store.collection(storage).get(key) ? 'there' : 'gone'}`);
  });
  store.collection('/configmaps').listen(({ type }) => observed.push(`listener ${type}`));
  store.put('/configmaps', 'default/a', object('a'));
  store.remove('/configmaps', 'default/a', object('a'));
  expect(observed).toEqual([
    'observer ADDED /configmaps default/a there',
    'listener ADDED',
    'observer DELETED /configmaps default/a gone',
    'listener DELETED',
  ]);
});

it('changes nothing when the journal fails', () => {
  const append = () => {
    throw new Error('full');
  };
  const observed: unknown[] = [];
  const store = new Store({ append } as unknown as ConstructorParameters<typeof Store>[0], (...each) =>
    observed.push(each),
  );
  expect(() => store.put('/configmaps', 'default/a', object('a'))).toThrow('full');
  expect(store.revision).toBe(1);
  expect(store.collection('/configmaps').size).toBe(0);
  expect(observed).toEqual([]);
});
