import { renderJson, setOwn } from '../../base/index.ts';

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

// biome's rule against control characters is about typing errors; here they are the subject.
const unprintable = /["\\]|[^\P{C}]|[^\P{Z} ]/gu;

/** A string as Go's `%q` writes it. */
export function quote(text: string): string {
  return `"${text.replace(unprintable, escaped)}"`;
}

function escaped(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0)!;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Text that stands for a value in an error exactly as it is. */
export class Verbatim {
  constructor(readonly text: string) {}
}

/** A value as a field error shows it: strings quoted, scalars bare, the rest as JSON with sorted keys. */
export function renderBadValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (value === undefined || value === null) return 'null';
  if (value instanceof Verbatim) return value.text;
  if (typeof value === 'object') return escapeHtml(renderJson(sortKeys(value)));
  return String(value);
}

// Go's JSON writer escapes these for the sake of HTML.
function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same value with the keys of every object in order, as Go writes maps. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    setOwn(sorted, key, sortKeys((value as Record<string, unknown>)[key]));
  }
  return sorted;
}
