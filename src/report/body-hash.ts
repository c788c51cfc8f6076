import type { KubeObject } from '../object/index.ts';
import { hashText, mix, type TextHash } from './text-hash.ts';

// Server-managed fields, which change without a change of what policies read.
const bookkeeping = new Set(['resourceVersion', 'managedFields', 'generation', 'selfLink']);
// Set by the scheduler, usually before an admitted pod is observed.
const assignment = new Set(['nodeName']);
const noFields: ReadonlySet<string> = new Set();

/**
 * Hash of all that a user can change, except a pod's node. Independent of key order, which differs between requests and
 * lists.
 */
export function hashBody(object: KubeObject): TextHash {
  const { status: _, metadata, spec, ...rest } = object;
  const parts = [
    hashValue(rest),
    hashFields(metadata as Readonly<Record<string, unknown>>, bookkeeping),
    isFields(spec) ? hashFields(spec, assignment) : hashValue(spec),
  ];
  return parts.reduce((sum, part) => ({ a: mix(sum.a, part.a), b: mix(sum.b, part.b) }));
}

/** Hash of a pod's node; 0 without one. */
export function hashNode({ spec }: KubeObject): number {
  const node = isFields(spec) ? spec['nodeName'] : undefined;
  return node === undefined ? 0 : hashValue(node).a;
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
  if (isFields(value)) return hashFields(value, noFields);
  return hashText(String(value), 2);
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
