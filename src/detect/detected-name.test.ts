import fc from 'fast-check';
import { expect, it } from 'vitest';
import { validateDnsSubdomain } from '../object/index.ts';
import { clashingName, type DetectedIdentity, detectedName } from './detected-name.ts';

const identity: DetectedIdentity = {
  policy: 'default/webapp-policy',
  registry: '123456789012.dkr.ecr.us-east-1.amazonaws.com',
  repository: 'webapp/frontend',
  tag: 'v1.2.3',
  digest: `sha256:abc12345${'0'.repeat(56)}`,
};

it('names a detection by image, tag and digest', () => {
  expect(detectedName(identity)).toBe('webapp-frontend-v1-2-3-abc12345');
});

it('distinguishes detections of the same plain name', () => {
  const other = { ...identity, repository: 'webapp-frontend' };
  expect(detectedName(other)).toBe(detectedName(identity));
  expect(clashingName(other)).not.toBe(clashingName(identity));
  expect(clashingName(identity)).toBe(clashingName({ ...identity }));
});

it('is a valid name for any repository and tag', () => {
  const text = fc.string({ minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(text, text, (repository, tag) => {
      for (const name of [detectedName, clashingName])
        expect(validateDnsSubdomain(name({ ...identity, repository: `r${repository}`, tag }))).toEqual([]);
    }),
  );
});
