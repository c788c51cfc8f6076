import { expect, it } from 'vitest';
import { ownNamespaceOf } from './own-namespace.ts';

const laptop = (namespace: string) => ({ name: 'work', namespace });
const pod = (namespace: string) => ({ name: 'in-cluster', namespace, isInPod: true });

it('is the configured one, else that of the pod or the context', () => {
  expect(ownNamespaceOf({ namespace: 'home' }, laptop('default'))).toBe('home');
  expect(ownNamespaceOf({}, laptop('images'))).toBe('images');
  expect(ownNamespaceOf({}, pod('default'))).toBe('default');
});

it('is never default without being named, outside a pod', () => {
  expect(() => ownNamespaceOf({}, laptop('default'))).toThrow('name a namespace for this program with --namespace');
  // A context may have any name.
  expect(() => ownNamespaceOf({}, { name: 'in-cluster', namespace: 'default' })).toThrow('name a namespace');
  expect(ownNamespaceOf({ namespace: 'default' }, laptop('default'))).toBe('default');
});
