import { escapedByte } from '../utf8.ts';

// Go's IsPrint: letters, marks, numbers, punctuation, symbols, and of all spaces only U+0020.
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
export const isPrintable = (character: string): boolean => printable.test(character);

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** `strconv.Quote`, or `QuoteToASCII`. */
export function quote(text: string, asciiOnly = false): string {
  let quoted = '"';
  for (const character of text) quoted += escapeCharacter(character, '"', asciiOnly);
  return `${quoted}"`;
}

/** `strconv.QuoteRune` of a code point. */
export function quoteRune(codePoint: number, asciiOnly = false): string {
  const isCharacter = codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
  return `'${escapeCharacter(String.fromCodePoint(isCharacter ? codePoint : 0xfffd), "'", asciiOnly)}'`;
}

/** `strconv.CanBackquote`. */
export function canBackquote(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return !/[\x00-\x08\x0a-\x1f\x7f`\ufeff]|\p{Surrogate}/u.test(text);
}

function escapeCharacter(character: string, delimiter: string, asciiOnly: boolean): string {
  if (character === delimiter) return `\\${delimiter}`;
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const codePoint = character.codePointAt(0)!;
  if (codePoint >= 0x20 && codePoint < 0x7f) return character;
  const byte = escapedByte(codePoint);
  if (byte !== undefined) return `\\x${hex(byte, 2)}`;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return asciiOnly ? '\\ufffd' : '\ufffd';
  if (!asciiOnly && isPrintable(character)) return character;
  if (codePoint < 0x20 || codePoint === 0x7f) return `\\x${hex(codePoint, 2)}`;
  return codePoint < 0x10000 ? `\\u${hex(codePoint, 4)}` : `\\U${hex(codePoint, 8)}`;
}

const hex = (value: number, width: number) => value.toString(16).padStart(width, '0');
