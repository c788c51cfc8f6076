import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareVersions } from './version-order.ts';

// The example of Kubernetes' own documentation on versions in CustomResourceDefinitions.
const ordered = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];

it('puts stable before beta before alpha, newer before older, and what is no version last by name', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
      expect(shuffled.sort(compareVersions)).toEqual(ordered);
    }),
  );
});

it('calls a version equal to itself alone', () => {
  for (const a of ordered) for (const b of ordered) expect(compareVersions(a, b) === 0).toBe(a === b);
});
