import { escapeGo } from '../../base/index.ts';
import { escapedByte } from '../utf8.ts';

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

/** Bytes that are no UTF-8 are written as such. */
function escapeCharacter(character: string, delimiter: string, asciiOnly: boolean): string {
  const byte = escapedByte(character.codePointAt(0)!);
  return byte === undefined ? escapeGo(character, delimiter, asciiOnly) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
