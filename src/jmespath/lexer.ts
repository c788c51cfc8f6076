import type { Dialect } from './dialect.ts';
import { JmespathError } from './errors.ts';
import { parseFiniteJson } from './finite-json.ts';
import type { Token, TokenKind } from './token.ts';

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const space = /[ \t\n\r]+/y;
const variable = /\$[A-Za-z0-9_]*/y;

interface Lexis {
  readonly digits: RegExp;
  readonly symbol: RegExp;
  /** What a backslash protects in raw text. */
  readonly escaped: RegExp;
}

const lexes: Record<Dialect, Lexis> = {
  kyverno: {
    digits: /-[0-9]*|[0-9]+/y,
    symbol: /\[\?|\[\]|\|\||&&|==|!=|<=|>=|[.*,:{}[\]()@&|!<>]/y,
    escaped: /\\(')/g,
  },
  community: {
    digits: /-?[0-9]+/y,
    symbol: /\[\?|\[\]|\|\||&&|==|!=|<=|>=|\/\/|[.*,:{}[\]()@&|!<>=+\-−×÷/%]/y,
    escaped: /\\(['\\])/g,
  },
};

const sameAs: Readonly<Record<string, TokenKind>> = { '−': '-', '÷': '/' };

/** Splits an expression into tokens; the last is always `end`. */
export function tokenize(expression: string, dialect: Dialect = 'kyverno'): Token[] {
  const { digits, symbol, escaped } = lexes[dialect];
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(expression)?.[0];
  };
  while (at < expression.length) {
    const c = expression[at] as string;
    let found: string | undefined;
    if ((found = match(space)) !== undefined) {
      at += found.length;
    } else if ((found = match(name)) !== undefined) {
      tokens.push({ kind: 'name', at, value: found });
      at += found.length;
    } else if ((found = match(digits)) !== undefined) {
      tokens.push({ kind: 'number', at, value: found });
      at += found.length;
    } else if ((found = match(symbol)) !== undefined) {
      tokens.push({ kind: sameAs[found] ?? (found as TokenKind), at });
      at += found.length;
    } else if (dialect === 'community' && (found = match(variable)) !== undefined) {
      tokens.push(found === '$' ? { kind: '$', at } : { kind: 'variable', at, value: found.slice(1) });
      at += found.length;
    } else if (c === '"' || c === '`' || c === "'") {
      const end = closing(expression, at, c, dialect);
      const inside = expression.slice(at + 1, end);
      if (c === '"') tokens.push({ kind: 'quoted-name', at, value: quotedName(expression, at, inside) });
      else if (c === '`') tokens.push({ kind: 'literal', at, value: literal(expression, at, inside) });
      else tokens.push({ kind: 'text', at, value: inside.replace(escaped, '$1') });
      at = end + 1;
    } else {
      const shown = JSON.stringify(String.fromCodePoint(expression.codePointAt(at) as number));
      throw syntaxError(expression, at, `unexpected character ${shown}`);
    }
  }
  tokens.push({ kind: 'end', at: expression.length });
  return tokens;
}

export function syntaxError(expression: string, offset: number, message: string, cause?: unknown): JmespathError {
  return new JmespathError('jmespath-syntax', message, { expression, offset, cause });
}

// In raw text a backslash only protects the quote, and itself where the dialect says so; elsewhere whatever follows.
function closing(expression: string, start: number, quote: string, dialect: Dialect): number {
  for (let i = start + 1; i < expression.length; i++) {
    const c = expression[i];
    if (c === quote) return i;
    if (c !== '\\') continue;
    const next = expression[i + 1];
    if (quote !== "'" || next === quote || (next === '\\' && dialect === 'community')) i++;
  }
  throw syntaxError(expression, start, `nothing closes this ${quote}`);
}

function quotedName(expression: string, at: number, inside: string): string {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch (thrown) {
    throw syntaxError(expression, at, 'a quoted name must be a valid JSON string', thrown);
  }
}

function literal(expression: string, at: number, inside: string): unknown {
  try {
    return parseFiniteJson(inside.replaceAll('\\`', '`'));
  } catch (thrown) {
    throw syntaxError(
      expression,
      at,
      `a literal in backticks must be valid JSON: ${(thrown as Error).message}`,
      thrown,
    );
  }
}
