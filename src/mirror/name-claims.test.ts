import { expect, it } from 'vitest';
import type { MirroredImage } from '../api/index.ts';
import { createNameClaims } from './name-claims.ts';
import { imageOf } from './testing/fakes.ts';

const first = imageOf('busybox:1', undefined, { mapping: 'basename' });
const second = imageOf('quay.io/other/busybox:1', undefined, { mapping: 'basename' });
const copied = (image: MirroredImage): MirroredImage => ({ ...image, status: { phase: 'Copied', digest: 'sha256:a' } });

it('gives a name to one source at a time, and to all its tags', async () => {
  const claims = createNameClaims({ listImages: async () => [] });
  const [mine, theirs] = await Promise.all([claims.claim(first), claims.claim(second)]);
  expect([mine, theirs]).toEqual([undefined, 'docker.io/library/busybox:1']);
  const other = imageOf('busybox:2', undefined, { mapping: 'basename' });
  expect(await claims.claim(other)).toBeUndefined();
  claims.release(first);
  expect(await claims.claim(second)).toBe('docker.io/library/busybox:2');
  claims.release(other);
  expect(await claims.claim(second)).toBeUndefined();
});

it('keeps a name with its owner until no image of it is left', async () => {
  let images: readonly MirroredImage[] = [copied(first), second];
  const claims = createNameClaims({ listImages: async () => images });
  expect(await claims.claim(second)).toBe('docker.io/library/busybox:1');
  expect(await claims.claim(first)).toBeUndefined();
  claims.release(first);
  images = [second];
  expect(await claims.claim(second)).toBeUndefined();
});

it('does not keep a name for an image that could never be copied', async () => {
  const claims = createNameClaims({ listImages: async () => [{ ...first, status: { phase: 'Failed' } }, second] });
  expect(await claims.claim(second)).toBeUndefined();
});
