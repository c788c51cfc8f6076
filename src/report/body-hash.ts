import type { KubeObject } from '../object/index.ts';
import { hashText, mix, type TextHash } from './text-hash.ts';

// Change without anybody having changed what policies look at; the server's own bookkeeping.
const bookkeeping = new Set(['resourceVersion', 'managedFields', 'generation', 'selfLink']);
// Set by the scheduler, as a rule before anybody has looked at a pod that was just admitted.
const assignment = new Set(['nodeName']);
const noFields: ReadonlySet<string> = new Set();

/**
 * Of all that a person can change, a pod's node apart. The same whatever the order of keys, as that differs between
 * requests and lists.
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

/** Where a pod was put; 0 for what is nowhere. */
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
