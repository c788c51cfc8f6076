import { expect, it } from 'vitest';
import { type LookUp, lookUpKey, Need } from './look-up.ts';

it('gives equal look-ups equal keys, in whatever order their fields are', () => {
  const one: LookUp = { kind: 'configMap', namespace: 'a', name: 'b', policyNamespace: 'a' };
  const same: LookUp = { policyNamespace: 'a', name: 'b', namespace: 'a', kind: 'configMap' };
  expect(lookUpKey(same)).toBe(lookUpKey(one));
  const call: LookUp = { kind: 'apiCall', method: 'POST', urlPath: '/x', data: { a: 1, b: 2 } };
  expect(lookUpKey({ data: { b: 2, a: 1 }, urlPath: '/x', method: 'POST', kind: 'apiCall' })).toBe(lookUpKey(call));
});

it('gives different look-ups of ConfigMaps different keys', () => {
  const base = { kind: 'configMap', namespace: 'a', name: 'b' } as const;
  const all: readonly LookUp[] = [
    base,
    { ...base, namespace: 'b', name: 'a' },
    { ...base, name: 'c' },
    { ...base, policyNamespace: 'a' },
    { ...base, dryRun: true },
    { ...base, namespace: 'ab', name: '' },
    { ...base, namespace: '', name: 'ab' },
    { ...base, name: '', policyNamespace: 'b' },
    { ...base, policyNamespace: '' },
  ];
  expect(new Set(all.map(lookUpKey)).size).toBe(all.length);
});

it('suspends a rule without a stack trace, and leaves those of errors alone', () => {
  expect(new Need([]).stack).not.toContain('\n');
  expect(new Error('x').stack).toContain('look-up.test.ts');
});
