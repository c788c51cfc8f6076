/** A value or a promise of one: a value that is already known needs no promise. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value, at once when it is already known. An error of `next` is then thrown, not a rejection.
 */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
