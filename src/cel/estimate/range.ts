/** From least to most, of a size or a cost. Integers that end where a uint64 does. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const ceiling = 2 ** 64;

export const unknown: Range = { min: 0, max: ceiling };
export const exactly = (value: number): Range => ({ min: value, max: value });
export const nothing = exactly(0);
export const one = exactly(1);

const capped = (value: number) => Math.min(value, ceiling);

export const add = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });
export const multiply = (a: Range, b: Range): Range => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) });
/** Rounded up. */
export const scale = ({ min, max }: Range, factor: number): Range => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
