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

/** A text in double quotes as Go's `strconv.Quote` writes it. */
export function quoteGo(text: string): string {
  let quoted = '"';
  for (const character of text) quoted += escapeGo(character, '"');
  return `${quoted}"`;
}

/** One character inside of quotes as Go writes it; with `asciiOnly`, as `strconv.QuoteToASCII`. */
export function escapeGo(character: string, delimiter: string, asciiOnly = false): string {
  if (character === delimiter) return `\\${delimiter}`;
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const codePoint = character.codePointAt(0)!;
  if (codePoint >= 0x20 && codePoint < 0x7f) return character;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return asciiOnly ? '\\ufffd' : '\ufffd';
  if (!asciiOnly && isPrintable(character)) return character;
  if (codePoint < 0x20 || codePoint === 0x7f) return `\\x${hex(codePoint, 2)}`;
  return codePoint < 0x10000 ? `\\u${hex(codePoint, 4)}` : `\\U${hex(codePoint, 8)}`;
}

const hex = (value: number, width: number) => value.toString(16).padStart(width, '0');
