import { CelCostError } from '../errors.ts';

/** One evaluation on its way: what it has cost, the variables it sees, and those of its loops. */
export class Frame {
  cost = 0;

  constructor(
    readonly inputs: readonly unknown[],
    readonly slots: unknown[],
    readonly limit: number,
  ) {}

  /** Adds the cost of a call or of a step of a loop, and ends what costs too much; a cost that is no number is too much. */
  charge(cost: number): void {
    this.cost += cost;
    if (!(this.cost <= this.limit)) throw new CelCostError();
  }
}

/** A compiled node: a value, or an error or unknown in its place. */
export type Eval = (frame: Frame) => unknown;

/**
 * The value of a variable that is kept in the frame: of an input at its place from 0 up, of a slot at places from -1
 * down. Undefined where there is none, which the closure of the variable tells.
 */
export function readPlace(frame: Frame, place: number | undefined): unknown {
  if (place === undefined) return undefined;
  return place < 0 ? frame.slots[~place] : frame.inputs[place];
}
