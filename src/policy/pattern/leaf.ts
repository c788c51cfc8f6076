import { LRUCache } from 'lru-cache';
import { mismatch } from './failure.ts';
import { goText, goType } from './go-text.ts';
import type { Check } from './run.ts';
import { compileScalar } from './scalar.ts';

/** A compiled part of a pattern. */
export interface Element {
  readonly check: Check;
  /** Parts with anchors at any depth are evaluated before their siblings. */
  readonly hasAnchors: boolean;
  /** The elements of a list, one by one; undefined for those that are not maps. */
  readonly items?: readonly (Check | undefined)[];
}

/** Compiles a part of a pattern that may be of any kind. */
export type CompileElement = (pattern: unknown, depth: number) => Element;

/** Longer texts are rarely written twice. */
const maxShared = 128;
/** Rules have few different scalars: they share the checks, which then stay in the caches of the processor. */
const shared = new LRUCache<string | number | boolean, Check>({ max: 1_000 });

/** A scalar in the pattern applies to every element if the object has a list. */
export function compileLeaf(pattern: unknown): Check {
  if (!isShareable(pattern)) return makeLeaf(pattern);
  let check = shared.get(pattern);
  if (check === undefined) shared.set(pattern, (check = makeLeaf(pattern)));
  return check;
}

function isShareable(pattern: unknown): pattern is string | number | boolean {
  return typeof pattern === 'string'
    ? pattern.length <= maxShared
    : typeof pattern === 'number' || typeof pattern === 'boolean';
}

function makeLeaf(pattern: unknown): Check {
  const matches = compileScalar(pattern);
  return (value, path) => {
    // The common case, decided without the functions behind `matches`; every scalar matches itself.
    if (value === pattern) return undefined;
    const isMatch = Array.isArray(value) ? value.every((item) => matches(item)) : matches(value);
    if (isMatch) return undefined;
    return mismatch(
      path,
      () => `resource value '${goText(value)}' does not match '${goText(pattern, 'float')}' at path ${path}`,
    );
  };
}

/** The object has a value of another type here. */
export function differentStructure(path: string, pattern: unknown, value: unknown) {
  return mismatch(
    path,
    () =>
      `pattern and resource have different structures. Path: ${path}. Expected ${goType(pattern, 'float')}, found ${goType(value)}`,
  );
}
