import { invalid } from '../errors.ts';
import type { Run } from '../run.ts';
import { compareText, isObject } from '../values.ts';

/**
 * JSON as Go writes it: keys sorted, `<`, `>`, `&` escaped, no spaces. Policies see this text (`to_string`), compare
 * and hash it, so it has to agree to the byte.
 */
export function renderGoJson(value: unknown, run: Run): string {
  const parts: string[] = [];
  write(value, parts, { run, depth: 0 });
  return parts.join('');
}

interface Writing {
  readonly run: Run;
  depth: number;
}

const maxDepth = 1000;

function write(value: unknown, parts: string[], writing: Writing): void {
  if (typeof value === 'string') add(quote(value), parts, writing);
  else if (typeof value === 'number') add(Object.is(value, -0) ? '-0' : String(value), parts, writing);
  else if (value === null || value === undefined) add('null', parts, writing);
  else if (typeof value === 'boolean' || typeof value === 'bigint') add(String(value), parts, writing);
  else if (++writing.depth > maxDepth) throw invalid('the value nests too deep');
  else {
    if (Array.isArray(value)) writeList(value, parts, writing);
    else if (isObject(value)) writeObject(value, parts, writing);
    else throw invalid('an expression reference has no text');
    writing.depth--;
  }
}

function add(text: string, parts: string[], writing: Writing): void {
  // A piece costs some 150 ns to sort, quote and keep.
  writing.run.charge(4);
  writing.run.chargeText(text.length);
  parts.push(text);
}

function writeList(list: readonly unknown[], parts: string[], writing: Writing): void {
  add('[', parts, writing);
  list.forEach((item, i) => {
    if (i > 0) parts.push(',');
    write(item, parts, writing);
  });
  parts.push(']');
}

function writeObject(object: Readonly<Record<string, unknown>>, parts: string[], writing: Writing): void {
  add('{', parts, writing);
  let isFirst = true;
  for (const key of Object.keys(object).sort(compareText)) {
    if (object[key] === undefined) continue;
    if (!isFirst) parts.push(',');
    isFirst = false;
    add(`${quote(key)}:`, parts, writing);
    write(object[key], parts, writing);
  }
  parts.push('}');
}

const needsEscape = /[<>&\u2028\u2029]/g;

function quote(text: string): string {
  return JSON.stringify(text).replace(needsEscape, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
