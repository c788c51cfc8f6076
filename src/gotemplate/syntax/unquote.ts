import { decodeUtf8, encodeUtf8 } from '../utf8.ts';

/** What `strconv` calls a text that is no quoted Go string. */
export class UnquoteError extends Error {
  constructor() {
    super('invalid syntax');
  }
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 0x5c,
  "'": 0x27,
  '"': 0x22,
};

/** The value of a string constant with its quotes, as Go's `strconv.Unquote`. */
export function unquote(quoted: string): string {
  if (quoted.startsWith('`')) return quoted.slice(1, -1).replaceAll('\r', '');
  const body = quoted.slice(1, -1);
  if (!body.includes('\\')) return body;
  const parts: Buffer[] = [];
  for (let rest = body; rest !== ''; ) {
    const { bytes, length } = readCharacter(rest, '"');
    parts.push(bytes);
    rest = rest.slice(length);
  }
  return decodeUtf8(Buffer.concat(parts));
}

/** The code point of a character constant with its quotes; undefined when more or less stands between them. */
export function unquoteCharacter(quoted: string): number | undefined {
  const { codePoint, length } = readCharacter(quoted.slice(1), "'");
  return quoted.slice(1 + length) === "'" ? codePoint : undefined;
}

interface Character {
  readonly codePoint: number;
  readonly bytes: Buffer;
  readonly length: number;
}

function readCharacter(text: string, delimiter: string): Character {
  const codePoint = text.codePointAt(0);
  if (codePoint === undefined || text[0] === delimiter) throw new UnquoteError();
  const character = String.fromCodePoint(codePoint);
  if (character !== '\\') return { codePoint, bytes: encodeUtf8(character), length: character.length };
  const letter = text[1] ?? '';
  const simple = simpleEscapes[letter];
  if (simple !== undefined) {
    if ((letter === "'" || letter === '"') && letter !== delimiter) throw new UnquoteError();
    return { codePoint: simple, bytes: Buffer.of(simple), length: 2 };
  }
  const digits = { x: 2, u: 4, U: 8 }[letter];
  if (digits !== undefined) {
    const hex = text.slice(2, 2 + digits);
    if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(hex)) throw new UnquoteError();
    return numbered(Number.parseInt(hex, 16), letter === 'x', 2 + digits);
  }
  const octal = text.slice(1, 4);
  if (!/^[0-7]{3}$/.test(octal) || Number.parseInt(octal, 8) > 255) throw new UnquoteError();
  return numbered(Number.parseInt(octal, 8), true, 4);
}

function numbered(value: number, isByte: boolean, length: number): Character {
  if (isByte) return { codePoint: value, bytes: Buffer.of(value), length };
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) throw new UnquoteError();
  return { codePoint: value, bytes: Buffer.from(String.fromCodePoint(value)), length };
}
