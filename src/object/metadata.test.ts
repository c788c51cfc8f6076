import { expect, test } from 'vitest';
import { controllerOf, controllerReferenceTo, isControlledBy, keyOf } from './metadata.ts';

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', namespace: 'a', uid: 'u1' } };

test('a key names an object within its kind', () => {
  expect(keyOf(owner)).toBe('a/web');
  expect(keyOf({ metadata: { name: 'node-1' } })).toBe('node-1');
});

test('control is determined by the uid', () => {
  const pod = {
    metadata: {
      ownerReferences: [{ ...controllerReferenceTo(owner), controller: false }, controllerReferenceTo(owner)],
    },
  };
  expect(controllerOf(pod)).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'u1',
    controller: true,
  });
  expect(isControlledBy(pod, owner)).toBe(true);
  expect(isControlledBy(pod, { metadata: { ...owner.metadata, uid: 'u2' } })).toBe(false);
  expect(isControlledBy({ metadata: {} }, { metadata: {} })).toBe(false);
  expect(controllerOf({ metadata: {} })).toBeUndefined();
});
