import { CelCostError } from '../errors.ts';

/**
 * Work and memory that the cost of an expression does not tell: elements that are compared and copied, characters that
 * are put together. An evaluation is synchronous, so that one counter serves all of them.
 */
const maxEffort = 4_000_000;
/** Characters of one string, elements of one list. */
const maxSize = 64 * 1024 * 1024;

let left = maxEffort;

/** Starts the count anew for an evaluation; gives what to set it back to afterwards. */
export function startEffort(): void {
  left = maxEffort;
}

export function spendEffort(units: number): void {
  left -= units;
  if (left < 0) throw new CelCostError();
}

/** Refuses a string or list of this size before it is made. */
export function checkSize(size: number): void {
  if (size > maxSize) throw new CelCostError();
  spendEffort(size / 16);
}
