/**
 * A pair of 32-bit hashes of a text. Not cryptographic: it distinguishes texts without an attacker, at a cost that a
 * million results can bear. Stored in annotations, so it must never change without a new version there.
 */
export interface TextHash {
  readonly a: number;
  readonly b: number;
}

const primeA = 0x85ebca6b;
const primeB = 0xc2b2ae35;

export function hashText(text: string, seed = 0): TextHash {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x7f4a7c15 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, primeA);
    b = Math.imul(b ^ c, primeB);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  return { a: finish(a ^ (b >>> 3)), b: finish(b ^ (a >>> 5)) };
}

/** Order matters: `mix(mix(0, x), y)` is not `mix(mix(0, y), x)`. */
export function mix(hash: number, value: number): number {
  const turned = (hash << 13) | (hash >>> 19);
  return finish(Math.imul(turned ^ value, primeA) + 0x9e3779b9);
}

function finish(hash: number): number {
  hash ^= hash >>> 16;
  hash = Math.imul(hash, primeA);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, primeB);
  return (hash ^ (hash >>> 16)) | 0;
}

export function renderHash(a: number, b: number): string {
  const hex = (half: number) => (half >>> 0).toString(16).padStart(8, '0');
  return `${hex(a)}${hex(b)}`;
}

export const isSameHash = (x: TextHash, y: TextHash): boolean => x.a === y.a && x.b === y.b;
