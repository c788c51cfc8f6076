import type { Token, TokenKind } from './token.ts';

/** Reports a mistake at an offset of the source; the lexer goes on behind it. */
type Report = (offset: number, message: string) => void;

const space = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedWord = /`[A-Za-z0-9_.\-/ ]+`/y;
const double = /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y;
const integer = /(?:0x[0-9a-fA-F]+|\d+)([uU])?/y;
const symbol = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;

const escapeForm = String.raw`\\(?:[abfnrtv"'\\?\`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
/** Longest forms first: three quotes before one, raw before plain. */
const string = new RegExp(
  [
    '[rR]"""[^]*?"""',
    "[rR]'''[^]*?'''",
    '[rR]"[^"\\n\\r]*"',
    "[rR]'[^'\\n\\r]*'",
    `"""(?:${escapeForm}|[^\\\\])*?"""`,
    `'''(?:${escapeForm}|[^\\\\])*?'''`,
    `"(?:${escapeForm}|[^\\\\"\\n\\r])*"`,
    `'(?:${escapeForm}|[^\\\\'\\n\\r])*'`,
  ].join('|'),
  'y',
);

/** The tokens of an expression, the end last. */
export function tokenize(source: string, report: Report): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp, from = at): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(source)?.[0];
  };
  const push = (kind: TokenKind, text: string) => {
    tokens.push({ kind, text, offset: at });
    at += text.length;
  };
  for (;;) {
    at += take(space)?.length ?? 0;
    if (at >= source.length) break;
    const c = source.charCodeAt(at);
    const text = quoted(source, at, take);
    if (text !== undefined) {
      push(text.isBytes ? 'bytes' : 'string', text.text);
      continue;
    }
    const name = take(word);
    if (name !== undefined) push(words.has(name) ? 'symbol' : 'ident', name);
    else if ((c >= 0x30 && c <= 0x39) || c === 0x2e) pushNumber(take, push);
    else {
      const escaped = take(escapedWord);
      const found = escaped ?? take(symbol);
      if (found !== undefined) push(escaped === undefined ? 'symbol' : 'escaped', found);
      else at += unknown(source, at, report);
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: source.length });
  return tokens;
}

const words: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

type Take = (pattern: RegExp, from?: number) => string | undefined;

function quoted(source: string, at: number, take: Take): { text: string; isBytes: boolean } | undefined {
  const c = source[at];
  if (c === 'b' || c === 'B') {
    const body = take(string, at + 1);
    return body === undefined ? undefined : { text: c + body, isBytes: true };
  }
  if (c !== '"' && c !== "'" && c !== 'r' && c !== 'R') return undefined;
  const text = take(string);
  return text === undefined ? undefined : { text, isBytes: false };
}

function pushNumber(take: Take, push: (kind: TokenKind, text: string) => void): void {
  const whole = take(integer);
  const fraction = take(double);
  if (fraction !== undefined && fraction.length >= (whole?.length ?? 0)) push('double', fraction);
  else if (whole === undefined) push('symbol', '.');
  else push(/[uU]$/.test(whole) ? 'uint' : 'int', whole);
}

/** A text that is not closed spoils all that could belong to it; any other character spoils itself. */
function unknown(source: string, at: number, report: Report): number {
  const c = source[at] as string;
  const rest = c === '"' || c === "'" ? openText(c) : c === '`' ? openName : /./suy;
  rest.lastIndex = at;
  const text = rest.exec(source)?.[0] ?? c;
  report(at, `Syntax error: token recognition error at: '${text}'`);
  return text.length;
}

/** What could be a name in back quotes, with the character that ends it. */
const openName = /`(?:[A-Za-z0-9_.\-/ ]+.?|.?)/suy;

/** Up to the end of the line, or with the character behind a backslash that begins no escape. */
const openText = (quote: string) => new RegExp(`${quote}(?:${escapeForm}|[^\\\\${quote}\\n\\r])*(?:\\\\[^]?)?`, 'y');
