import { resolvePlain } from './yaml-scalar.ts';

/** The plain keys of one text. The same few keys come thousands of times: each is made and checked once. */
export interface KeyTable {
  /** The plain key at the offset; undefined if there is none that is text without blanks. */
  read(text: string, start: number): string | undefined;
}

const characters = new Uint8Array(128);
for (const one of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./$+()-')
  characters[one.charCodeAt(0)] = 1;

/** Of plain keys, and of plain scalars in flow collections. */
export const isKeyCharacter = (c: number): boolean => characters[c] === 1;

const slots = 512;
const maxLength = 200;

export function createKeyTable(): KeyTable {
  const known = new Array<string | undefined>(slots);
  return {
    read(text, start) {
      let hash = 0;
      let at = start;
      for (let c = text.charCodeAt(at); characters[c] === 1; c = text.charCodeAt(++at)) hash = (hash * 31 + c) | 0;
      const length = at - start;
      const slot = hash & (slots - 1);
      const candidate = known[slot];
      if (candidate !== undefined && candidate.length === length && text.startsWith(candidate, start)) return candidate;
      const key = text.slice(start, at);
      if (length === 0 || length > maxLength || key === '-' || key === '__proto__') return undefined;
      // Numbers, booleans and null are written as keys in Go's way.
      if (typeof resolvePlain(key) !== 'string') return undefined;
      known[slot] = key;
      return key;
    },
  };
}
