import { describe, expect, it } from 'vitest';
import { createHasher, digestAlgorithm, digestHex, digestOf, parseDigest } from './digest.ts';

describe('a digest', () => {
  it('is the same for bytes in pieces and as a whole', () => {
    for (const algorithm of ['sha256', 'sha512'] as const) {
      const hasher = createHasher(algorithm);
      for (const part of ['he', '', 'llo']) hasher.update(Buffer.from(part));
      expect(hasher.digest()).toBe(digestOf('hello', algorithm));
      expect(hasher.size).toBe(5);
      hasher.update(Buffer.from('!'));
      expect(hasher.digest()).toBe(digestOf('hello!', algorithm));
    }
  });

  it('has its algorithm and its digits', () => {
    const digest = parseDigest('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
    expect(digest).toBe(digestOf('hello'));
    expect([digestAlgorithm(digest), digestHex(digest).slice(0, 6)]).toEqual(['sha256', '2cf24d']);
  });
});
