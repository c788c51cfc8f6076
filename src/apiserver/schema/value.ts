/** A JSON object whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in a field, or undefined when there is none or it is something else. */
export function objectIn(holder: Fields | undefined, key: string): Fields | undefined {
  const value = holder?.[key];
  return isObject(value) ? value : undefined;
}

/** The list in a field; empty when there is none. */
export function listIn(holder: Fields | undefined, key: string): readonly unknown[] {
  const value = holder?.[key];
  return Array.isArray(value) ? value : [];
}

/** The string in a field; empty when there is none, as a Go struct would have it. */
export function stringIn(holder: Fields | undefined, key: string): string {
  const value = holder?.[key];
  return typeof value === 'string' ? value : '';
}

/** The number in a field. An integer beyond 2^53 loses precision, which no comparison here can notice. */
export function numberIn(holder: Fields | undefined, key: string): number | undefined {
  const value = holder?.[key];
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

/** Null, absent, and what a Go struct cannot tell from absent. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A copy with one field set; the same object when it already has that very value. */
export function withField<T extends Fields>(holder: T, key: string, value: unknown): T {
  return holder[key] === value ? holder : { ...holder, [key]: value };
}

/** A copy without the field; the same object when it has none. */
export function withoutField<T extends Fields>(holder: T, key: string): T {
  if (!(key in holder)) return holder;
  const copy: Record<string, unknown> = { ...holder };
  delete copy[key];
  return copy as T;
}
