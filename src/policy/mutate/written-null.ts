/**
 * A null that an operation wrote. Upstream tells it from one that the document had: operations below the document's
 * own null create an object there, below a written one they fail.
 */
export const writtenNull: unique symbol = Symbol('null');

/** Makes written nulls plain ones, in place. */
export function settleWrittenNulls(value: unknown): unknown {
  if (value === writtenNull) return null;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = settleWrittenNulls(item);
  } else if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    for (const key of Object.keys(object)) object[key] = settleWrittenNulls(object[key]);
  }
  return value;
}
