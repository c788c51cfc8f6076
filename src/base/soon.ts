/** A value, or the promise of one: what mostly is there at once costs no promise. */
export type Soon<T> = T | Promise<T>;

/** `next` with the value: at once when it is there. What `next` throws then is thrown, not a rejection. */
export function after<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
