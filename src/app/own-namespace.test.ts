import { expect, it } from 'vitest';
import { ownNamespaceOf } from './own-namespace.ts';

const [laptop, pod] = ['work', 'in-cluster'].map((name) => (namespace: string) => ({ name, namespace }));

it('is the configured one, else that of the pod or the context', () => {
  expect(ownNamespaceOf({ namespace: 'home' }, laptop!('default'))).toBe('home');
  expect(ownNamespaceOf({}, laptop!('images'))).toBe('images');
  expect(ownNamespaceOf({}, pod!('default'))).toBe('default');
});

it('is never default without being named, outside a pod', () => {
  expect(() => ownNamespaceOf({}, laptop!('default'))).toThrow('name a namespace for this program with --namespace');
  expect(ownNamespaceOf({ namespace: 'default' }, laptop!('default'))).toBe('default');
});
