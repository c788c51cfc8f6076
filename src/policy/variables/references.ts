import { posix } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { PolicyError } from '../errors.ts';

/** `$(<=./../limits/memory)`: an operator and a path inside the same document. */
const reference = /(^|[^\\])(\$\([^ ]+?\))/g;
const operators = ['>=', '<=', '>', '<', '!'];

/** The document with every `$(…)` replaced by the text it refers to; the document itself if it has none. */
export function resolveReferences(document: unknown): unknown {
  return walk(document, '', document);
}

function walk(value: unknown, path: string, document: unknown): unknown {
  if (typeof value === 'string') return value.includes('$(') ? resolveText(value, path, document) : value;
  if (Array.isArray(value)) {
    const items = value.map((item, i) => walk(item, `${path}/${i}`, document));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let changed = false;
  const fields = Object.entries(value).map(([key, field]) => {
    const next = walk(field, `${path}/${key}`, document);
    changed ||= next !== field;
    return [key, next] as const;
  });
  return changed ? Object.fromEntries(fields) : value;
}

function resolveText(text: string, path: string, document: unknown): string {
  const resolved = text.replace(
    reference,
    (_, before: string, found: string) => before + lookUp(found, path, document),
  );
  return resolved.replace(/\\(\$\([^ )]+\))/g, '$1');
}

function lookUp(found: string, path: string, document: unknown): string {
  const inside = found.slice(2, -1);
  const operator = operators.find((candidate) => inside.startsWith(candidate)) ?? '';
  const relative = inside.slice(operator.length);
  const target = posix.isAbsolute(relative) ? relative : posix.join(path, relative);
  const value = valueAt(
    document,
    target.split('/').filter((part) => part !== ''),
  );
  if (typeof value === 'string') return operator + value;
  if (operator !== '' && typeof value === 'number') return operator + String(value);
  throw new PolicyError('policy-reference', `the reference ${found} at ${path} does not lead to a text`);
}

function valueAt(value: unknown, parts: readonly string[]): unknown {
  const [head, ...rest] = parts;
  if (head === undefined) return value;
  if (Array.isArray(value)) return valueAt(value[Number(head)], rest);
  if (!isJsonObject(value)) return undefined;
  // Anchors are not part of a field's name here: `(name)` is found as `name`.
  const key = Object.keys(value).find(
    (candidate) => candidate === head || candidate.replace(/^[=^X<+]?\(|\)$/g, '') === head,
  );
  return key === undefined ? undefined : valueAt(value[key], rest);
}
