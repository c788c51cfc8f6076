import { PolicyError } from '../errors.ts';
import type { PatternFailure } from './failure.ts';

/** Matches one element of an object; the path is the element's own. */
export type Check = (value: unknown, path: string, run: MatchRun) => PatternFailure | undefined;

export type Fields = Readonly<Record<string, unknown>>;

/** Far more elements than an object can have; reached only if lists are searched repeatedly. */
const maxSteps = 2_000_000;

/** Records during one match which conditional and existence anchors found their key in the object. */
export class MatchRun {
  /** Most matches succeed and need no paths: paths are recorded only when a failed match is repeated. */
  constructor(readonly hasPaths: boolean) {}

  /** The path of a child; empty if paths are not recorded. */
  below(path: string, key: string | number): string {
    return this.hasPaths ? `${path}${key}/` : '';
  }

  private steps = 0;
  private anchors: Map<string, boolean> | undefined;

  note(anchor: string, isPresent: boolean): void {
    this.anchors ??= new Map();
    if (isPresent || !this.anchors.has(anchor)) this.anchors.set(anchor, isPresent);
  }

  /** Counts an element of a list; throws `policy-pattern-limit` beyond the limit. */
  step(): void {
    if (++this.steps > maxSteps)
      throw new PolicyError('policy-pattern-limit', `the pattern looks at more than ${maxSteps} elements`);
  }

  /** If the key of an anchor was never found, a mismatch is an error of the policy, without a path in the object. */
  areKeysMissing(): boolean {
    if (this.anchors === undefined) return false;
    for (const isPresent of this.anchors.values()) if (!isPresent) return true;
    return false;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field of the object: a key such as `constructor` must not find an inherited one. */
export function fieldOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
