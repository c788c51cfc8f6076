import type { Node } from './ast.ts';
import type { Parser } from './parser.ts';
import { unescapeBytes, unescapeString } from './unescape.ts';
import { intOf, maxUint } from './values/numbers.ts';
import { CelBytes, CelUint, double } from './values/values.ts';

/** Valid names of fields, but never of variables and functions. */
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

export function parsePrimary(parser: Parser): Node {
  const { token } = parser;
  switch (token.kind) {
    case 'ident':
      return parseName(parser, '');
    case 'int':
    case 'uint':
    case 'double':
      return parseNumber(parser, '');
    case 'string':
    case 'bytes':
      return parseText(parser);
    case 'symbol':
      return parseSymbol(parser);
    default:
      return parser.noExpression();
  }
}

function parseSymbol(parser: Parser): Node {
  const { text, offset } = parser.token;
  switch (text) {
    case '(': {
      parser.next();
      const node = parser.expression();
      parser.expect(')');
      return node;
    }
    case '[':
      return parseList(parser);
    case '{':
      return parseMap(parser);
    case '.':
      if (parser.peek(1).kind !== 'ident') return parser.noExpression();
      parser.next();
      return parseName(parser, '.');
    case '-':
      parser.next();
      return parseNumber(parser, '-', offset);
    case 'true':
    case 'false':
      parser.next();
      return parser.make.literal(offset, text === 'true');
    case 'null':
      parser.next();
      return parser.make.literal(offset, null);
    default:
      return parser.noExpression();
  }
}

/** An identifier, a call, or the type of a message in braces. */
function parseName(parser: Parser, dot: string): Node {
  const path = messageType(parser);
  if (path !== undefined) return parseStruct(parser, dot, path);
  const { text, offset } = parser.next();
  if (reserved.has(text)) return parser.fail(offset, `reserved identifier: ${text}`);
  const open = parser.take('(');
  if (!open) return parser.make.ident(offset, dot + text);
  const args = parser.arguments();
  return parser.pass(parser.call(open.offset, dot + text, args), args);
}

/** The number of names when names with dots between them lead to a brace. */
function messageType(parser: Parser): number | undefined {
  for (let names = 1, ahead = 1; ; names++, ahead += 2) {
    const { kind, text } = parser.peek(ahead);
    if (kind !== 'symbol') return undefined;
    if (text === '{') return names;
    if (text !== '.' || parser.peek(ahead + 1).kind !== 'ident') return undefined;
  }
}

function parseStruct(parser: Parser, dot: string, names: number): Node {
  const parts = [parser.next().text];
  while (parts.length < names) {
    parser.next();
    parts.push(parser.next().text);
  }
  const { offset } = parser.expect('{');
  const id = parser.make.id();
  const fields = parseItems(parser, '}', () => {
    const isOptional = parser.take('?') !== undefined;
    const { kind, text } = parser.token;
    if (kind !== 'ident' && kind !== 'escaped') parser.unexpected('{IDENTIFIER, ESC_IDENTIFIER}');
    parser.next();
    const colon = parser.expect(':');
    const name = kind === 'escaped' ? text.slice(1, -1) : text;
    return { id: parser.make.id(), offset: colon.offset, name, value: parser.expression(), isOptional };
  });
  const node: Node = { kind: 'struct', id, offset, type: dot + parts.join('.'), fields };
  return parser.pass(
    node,
    fields.map(({ value }) => value),
  );
}

function parseList(parser: Parser): Node {
  const { offset } = parser.next();
  const id = parser.make.id();
  const items = parseItems(parser, ']', () => ({
    isOptional: parser.take('?') !== undefined,
    value: parser.expression(),
  }));
  const node: Node = { kind: 'list', id, offset, items };
  return parser.pass(
    node,
    items.map(({ value }) => value),
  );
}

function parseMap(parser: Parser): Node {
  const { offset } = parser.next();
  const id = parser.make.id();
  const entries = parseItems(parser, '}', () => {
    const isOptional = parser.take('?') !== undefined;
    const key = parser.expression();
    parser.expect(':');
    return { key, value: parser.expression(), isOptional };
  });
  const node: Node = { kind: 'map', id, offset, entries };
  return parser.pass(
    node,
    entries.flatMap(({ key, value }) => [key, value]),
  );
}

/** Items up to the closing bracket; a comma may stand behind the last. */
function parseItems<T>(parser: Parser, close: string, item: () => T): T[] {
  const items: T[] = [];
  if (!parser.isSymbol(close) && !parser.isSymbol(',')) {
    items.push(item());
    while (parser.isSymbol(',') && !(parser.peek(1).kind === 'symbol' && parser.peek(1).text === close)) {
      parser.next();
      items.push(item());
    }
  }
  parser.take(',');
  parser.expect(close);
  return items;
}

function parseNumber(parser: Parser, sign: '' | '-', at?: number): Node {
  const { kind, text, offset } = parser.next();
  const start = at ?? offset;
  if (kind === 'double') {
    const value = Number(sign + text);
    return Number.isFinite(value)
      ? parser.make.literal(start, double(value))
      : parser.fail(start, 'invalid double literal');
  }
  const digits = BigInt(kind === 'uint' ? text.slice(0, -1) : text);
  if (kind === 'uint') {
    if (digits > maxUint) return parser.fail(start, 'invalid uint literal');
    return parser.make.literal(start, new CelUint(digits));
  }
  const value = intOf(sign === '-' ? -digits : digits);
  return value === undefined ? parser.fail(start, 'invalid int literal') : parser.make.literal(start, value);
}

function parseText(parser: Parser): Node {
  const { kind, text, offset } = parser.next();
  if (kind === 'string') {
    const result = unescapeString(text);
    return 'error' in result ? parser.fail(offset, result.error) : parser.make.literal(offset, result.text);
  }
  const result = unescapeBytes(text.slice(1));
  return 'error' in result
    ? parser.fail(offset, result.error)
    : parser.make.literal(offset, new CelBytes(result.bytes));
}
