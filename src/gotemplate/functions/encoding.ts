import { decodeUtf8, encodeUtf8 } from '../utf8.ts';
import { defineRunning, type FunctionSpec } from './signature.ts';

export const encodingFunctions: readonly FunctionSpec[] = defineRunning({
  'b64enc(string)': (run, text: string) => {
    run.charge(text.length * 2);
    return encodeUtf8(text).toString('base64');
  },
  'b64dec(string)': (run, text: string) => {
    run.charge(text.length);
    return decode(text, base64);
  },
  'b32enc(string)': (run, text: string) => {
    run.charge(text.length * 4);
    return encodeBase32(encodeUtf8(text));
  },
  'b32dec(string)': (run, text: string) => {
    run.charge(text.length * 2);
    return decode(text, base32);
  },
});

interface Alphabet {
  readonly name: string;
  readonly characters: string;
  readonly bits: number;
  /** Characters in one group, and how many of them a last group may have. */
  readonly group: number;
  readonly endings: readonly number[];
}

const base64: Alphabet = {
  name: 'base64',
  characters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  bits: 6,
  group: 4,
  endings: [2, 3],
};
const base32: Alphabet = {
  name: 'base32',
  characters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  bits: 5,
  group: 8,
  endings: [2, 4, 5, 7],
};

function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += base32.characters[(value >> (bits - 5)) & 31];
  }
  if (bits > 0) text += base32.characters[(value << (5 - bits)) & 31];
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

/** The text behind the encoding; what is no such encoding gives Go's message instead, as sprig answers it. */
function decode(text: string, alphabet: Alphabet): string {
  const bytes: number[] = [];
  const { characters, bits, group, endings } = alphabet;
  const source = encodeUtf8(text);
  const illegal = (at: number) => `illegal ${alphabet.name} data at input byte ${at}`;
  let value = 0;
  let have = 0;
  let inGroup = 0;
  for (let i = 0; i < source.length; i++) {
    const c = String.fromCharCode(source[i]!);
    if (c === '\n' || c === '\r') continue;
    if (c === '=') {
      if (!endings.includes(inGroup)) return illegal(i);
      return readPadding(source, i, group - inGroup) ?? decodeUtf8(Uint8Array.from(bytes));
    }
    const digit = characters.indexOf(c);
    if (digit === -1) return illegal(i);
    value = ((value << bits) | digit) & 0xffff;
    have += bits;
    inGroup = (inGroup + 1) % group;
    if (have >= 8) bytes.push((value >> (have -= 8)) & 0xff);
  }
  // A group without its padding is blamed on its first character.
  return inGroup === 0 ? decodeUtf8(Uint8Array.from(bytes)) : illegal(source.length - inGroup);

  function readPadding(all: Uint8Array, start: number, wanted: number): string | undefined {
    let seen = 0;
    for (let i = start; i < all.length; i++) {
      if (all[i] === 0x0a || all[i] === 0x0d) continue;
      if (all[i] !== 0x3d || seen === wanted) return illegal(i);
      seen++;
    }
    return seen === wanted ? undefined : illegal(all.length);
  }
}
