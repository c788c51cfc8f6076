import { PolicyError } from '../errors.ts';
import type { PatternFailure } from './failure.ts';

/** Matches one element of an object; the path is the element's own. */
export type Check = (value: unknown, path: string, run: MatchRun) => PatternFailure | undefined;

export type Fields = Readonly<Record<string, unknown>>;

/** Far beyond what an object of an API server can hold, unless lists are searched again and again. */
const maxSteps = 2_000_000;

/** Remembers for one match which conditional and existence anchors have met their key anywhere in the object. */
export class MatchRun {
  /** Most matches succeed and need no paths: they are only made when a failed match is looked at again. */
  constructor(readonly hasPaths: boolean) {}

  /** The path of what lies below; empty where paths are not kept. */
  below(path: string, key: string | number): string {
    return this.hasPaths ? `${path}${key}/` : '';
  }

  private steps = 0;
  private anchors: Map<string, boolean> | undefined;

  note(anchor: string, isPresent: boolean): void {
    this.anchors ??= new Map();
    if (isPresent || !this.anchors.has(anchor)) this.anchors.set(anchor, isPresent);
  }

  /** Counts an element of a list; throws `policy-pattern-limit` when pattern and object multiply without end. */
  step(): void {
    if (++this.steps > maxSteps)
      throw new PolicyError('policy-pattern-limit', `the pattern looks at more than ${maxSteps} elements`);
  }

  /** When an anchor's key was never there, a mismatch is blamed on the policy and not on a place in the object. */
  areKeysMissing(): boolean {
    if (this.anchors === undefined) return false;
    for (const isPresent of this.anchors.values()) if (!isPresent) return true;
    return false;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of the object itself: a key such as `constructor` must not find what every object inherits. */
export function fieldOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
