/** A value, or the promise of one: what mostly is there at once costs no promise. */
export type MaybePromise<T> = T | Promise<T>;

/** `next` with the value: at once when it is there. What `next` throws then is thrown, not a rejection. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
