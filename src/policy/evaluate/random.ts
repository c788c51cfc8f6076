import { createHash } from 'node:crypto';

/** Numbers in [0, 1) that depend only on the seed, so that a replay of a rule gives the same names. */
export function seededRandom(seed: string, rest: () => readonly string[]): () => number {
  let state: number | undefined;
  return () => {
    // Hashed on first use: most rules use no random values.
    state ??= createHash('sha256')
      .update([seed, ...rest()].join('\u0000'))
      .digest()
      .readUInt32LE(0);
    // A step of a Weyl sequence, mixed (splitmix32).
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}
