/**
 * Access to untrusted keys: any text is a key of a JSON object, `__proto__` and `constructor` too. Plain assignment to
 * `__proto__` changes the prototype and drops the key; a plain read finds inherited members.
 */

/** Assigns an own property, for any key. */
export function setOwn<T>(target: Record<string, T>, key: string, value: NoInfer<T>): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/** The own property with that name; undefined when there is none. */
export function getOwn<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** `Object.assign` that keeps a key `__proto__`. */
export function assignOwn<T>(target: Record<string, T>, source: Readonly<Record<string, T>>): void {
  for (const key of Object.keys(source)) setOwn(target, key, source[key] as T);
}
