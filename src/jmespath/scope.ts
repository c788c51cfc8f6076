import { setOwn } from '../base/index.ts';
/** Stands for a key that is not there. Never a value of JSON, and never returned to callers of `evaluate`. */
export const missing: unique symbol = Symbol('missing');
export type Missing = typeof missing;

/**
 * A root whose keys are looked up when an expression names them, so that layers of variables need no copying and
 * entries can load lazily. What `get` throws passes through an evaluation untouched.
 */
export abstract class Scope {
  /** The value of a top-level key, or `missing`. */
  abstract get(key: string): unknown;
  /** The keys of the whole, asked for only when an expression takes the root as a value (`@`, `*`, `keys(@)`). */
  abstract keys(): Iterable<string>;
}

/** The scope as one plain object. */
export function materialize(scope: Scope): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const key of scope.keys()) {
    const value = scope.get(key);
    if (value !== missing) setOwn(whole, key, value);
  }
  return whole;
}

/** Where `$variables` come from, by their names without the dollar; `missing` for one that is not defined. */
export interface Bindings {
  get(name: string): unknown | Missing;
}

/** One more variable over those there are. */
export function bind(name: string, value: unknown, below: Bindings | undefined): Bindings {
  return { get: (wanted) => (wanted === name ? value : below ? below.get(wanted) : missing) };
}
