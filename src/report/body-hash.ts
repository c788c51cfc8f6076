import type { KubeObject } from '../object/index.ts';
import { hashText, mix, type TextHash } from './text-hash.ts';

// Change without anybody having changed what policies look at; the server's own bookkeeping.
const bookkeeping = new Set(['resourceVersion', 'managedFields', 'generation', 'selfLink']);
const noFields: ReadonlySet<string> = new Set();

/** Of all that a person can change. The same whatever the order of keys, as that differs between requests and lists. */
export function hashBody(object: KubeObject): TextHash {
  const { status: _, metadata, ...rest } = object;
  const body = hashValue(rest);
  const meta = hashFields(metadata as Readonly<Record<string, unknown>>, bookkeeping);
  return { a: mix(body.a, meta.a), b: mix(body.b, meta.b) };
}

export function hashStatus(object: KubeObject): TextHash {
  return hashValue(object['status']);
}

function hashValue(value: unknown): TextHash {
  if (typeof value === 'string') return hashText(value, 1);
  if (Array.isArray(value)) {
    let [a, b] = [3, value.length];
    for (const item of value) {
      const hash = hashValue(item);
      a = mix(a, hash.a);
      b = mix(b, hash.b);
    }
    return { a, b };
  }
  if (typeof value === 'object' && value !== null)
    return hashFields(value as Readonly<Record<string, unknown>>, noFields);
  return hashText(String(value), 2);
}

function hashFields(fields: Readonly<Record<string, unknown>>, left: ReadonlySet<string>): TextHash {
  let [a, b] = [5, 7];
  for (const key in fields) {
    const value = fields[key];
    if (value === undefined || left.has(key)) continue;
    const name = hashText(key);
    const hash = hashValue(value);
    a = (a + mix(name.a, hash.a)) | 0;
    b = (b + mix(name.b, hash.b)) | 0;
  }
  return { a, b };
}
