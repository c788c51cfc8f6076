import { Abnormal, CelOptional, isPlainMap, none } from '../values/values.ts';
import { type Eval, type Frame, readPlace } from './frame.ts';
import type { Attribute, Step } from './plan.ts';
import { fieldOf, missing } from './qualify.ts';
import { walkFrom } from './walk.ts';

export type FieldStep = Extract<Step, { kind: 'field' }>;

/** A field by a name that no map has without being given it. */
export const isField = (step: Step): step is FieldStep => step.kind === 'field' && step.name !== '__proto__';

/** Nothing, on a path on which something may be missing. No value is a symbol, so that its type tells it. */
const absent = Symbol('absent');

export const isAbsent = (value: unknown): boolean => typeof value === 'symbol';

/** A path of fields some of which are optional: what it selects, without an optional around it. */
export class OptionalPath {
  private readonly names: readonly string[];

  private constructor(
    private readonly base: Eval,
    private readonly place: number | undefined,
    private readonly steps: readonly FieldStep[],
    /** The first optional step: from here on everything may be missing. */
    private readonly first: number,
  ) {
    this.names = steps.map(({ name }) => name);
  }

  static of(attribute: Attribute | undefined): OptionalPath | undefined {
    if (attribute?.kind !== 'path') return undefined;
    const { base, place, steps } = attribute;
    const first = steps.findIndex((step) => step.kind === 'field' && step.isOptional);
    return first >= 0 && steps.every(isField) ? new OptionalPath(base, place, steps, first) : undefined;
  }

  /** The value, `absent`, or an error or unknown; with the cost of the path as a value. */
  read(frame: Frame): unknown {
    const { names, first } = this;
    let object = readPlace(frame, this.place) ?? this.base(frame);
    for (let i = 0; i < names.length; i++) {
      if (!isPlainMap(object)) return this.readOther(frame, object, i);
      // Whoever has no such field may inherit one: a function, which no value is.
      const value = object[names[i] as string];
      if (value === undefined || typeof value === 'function') {
        if (i < first) {
          frame.cost += i + 2;
          return missing(object, names[i]);
        }
        frame.cost += i + 1;
        return absent;
      }
      object = value;
    }
    frame.cost += names.length + 1;
    return object;
  }

  /** From a step on whose object is no plain map. */
  private readOther(frame: Frame, from: unknown, start: number): unknown {
    if (start === 0 && (from instanceof CelOptional || from instanceof Abnormal)) {
      const found = from instanceof Abnormal ? from : walkFrom(frame, from, this.steps);
      frame.cost += 1;
      return found === none ? absent : found instanceof CelOptional ? found.value : found;
    }
    let object = from;
    for (let i = start; i < this.names.length; i++) {
      const found = fieldOf(object, this.names[i] as string);
      if (found instanceof Abnormal || (found === undefined && i < this.first)) {
        frame.cost += i < this.first ? i + 2 : i + 1;
        return found ?? missing(object, this.names[i]);
      }
      if (found === undefined) {
        frame.cost += i + 1;
        return absent;
      }
      object = found;
    }
    frame.cost += this.names.length + 1;
    return object;
  }
}
