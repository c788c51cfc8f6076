import { CelMap, isMap, mapSize } from './map.ts';
import { CelBytes, CelOpaque, CelOptional, none } from './values.ts';

const surrogate = /[\ud800-\udbff]/;

/** Code points of a string. */
function codePoints(text: string): number {
  let count = text.length;
  if (!surrogate.test(text)) return count;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      i++;
    }
  }
  return count;
}

/** The size of what has one: undefined for scalars. */
export function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return codePoints(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof CelBytes) return value.bytes.length;
  if (value instanceof CelMap) return value.entries.size;
  return isMap(value) ? mapSize(value) : undefined;
}

/** What the cost of a call counts for a value: its size, that of what is in an optional, 1 for scalars. */
export function costSize(value: unknown): number {
  const size = sizeOf(value);
  if (size !== undefined) return size;
  if (value instanceof CelOpaque) return value.size;
  return value instanceof CelOptional && value !== none ? costSize(value.value) : 1;
}

/** The same for Kubernetes' own functions and for those of lists and sets, which do not look into optionals. */
export function librarySize(value: unknown): number {
  return value instanceof CelOptional ? 1 : costSize(value);
}

/** A tenth of the size, rounded up, without counting the code points of short strings. */
export function tenth(value: unknown): number {
  if (typeof value === 'string' && value.length <= 10) return value.length === 0 ? 0 : 1;
  return Math.ceil(costSize(value) * 0.1);
}
