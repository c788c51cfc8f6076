import { type Json, JsonError, parseJson } from '../base/index.ts';

// JSON.parse reads a number too large for a double as infinity, which no JSON can carry back.
const mayOverflow = /[eE]\+?0*\d{3}|\d{300}/;

/** Literals and texts that an expression parses; walks over them are recursive. */
const maxDepth = 500;

/** JSON without numbers beyond what a double can hold. */
export function parseFiniteJson(text: string): Json {
  // parseJson looks for long integers after a separator; at the very start there is none.
  const value = parseJson(/^\d{16}/.test(text) ? ` ${text}` : text, maxDepth);
  if (mayOverflow.test(text)) checkFinite(value);
  return value;
}

function checkFinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new JsonError('json-invalid', 'a number is too large');
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) checkFinite(item);
}
