import { expect, it } from 'vitest';
import { ownerLabel } from '../api/index.ts';
import { configOf } from './config.ts';
import { isExcludedBy, isSparedBy } from './excluded-objects.ts';

const isSpared = isSparedBy('supercargo', isExcludedBy(configOf({})));
const kind = (name: string) => ({ group: '', version: 'v1', kind: name });

it.each([
  ['an object of its own namespace', 'ConfigMap', { name: 'a', namespace: 'supercargo' }],
  ['its own namespace', 'Namespace', { name: 'supercargo' }],
  ['what resource filters exclude', 'ConfigMap', { name: 'a', namespace: 'kube-system' }],
  [
    'what Kyverno manages, generated objects among it',
    'ConfigMap',
    { name: 'a', namespace: 'shop', labels: { 'app.kubernetes.io/managed-by': 'kyverno' } },
  ],
  ['what an installation manages', 'ConfigMap', { name: 'a', namespace: 'shop', labels: { [ownerLabel]: 'other' } }],
])('no policy deletes %s', (_, name, metadata) => expect(isSpared(kind(name), metadata)).toBe(true));

it('policies delete what others manage', () => {
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  expect(isSpared(kind('ConfigMap'), { name: 'a', namespace: 'shop', labels })).toBe(false);
  expect(isSpared(kind('ConfigMap'), { name: 'supercargo', namespace: 'shop' })).toBe(false);
});
