import { PolicyError } from '../errors.ts';
import { compileLeaf, type Element } from './leaf.ts';
import { compileList } from './list.ts';
import { compileMap } from './map.ts';
import { isFields } from './run.ts';

/** The depth limit of our parsers. */
const maxDepth = 500;

/** Compiles any part of a pattern; throws `policy-pattern-too-deep` beyond the depth limit of the parsers. */
export function compileElement(pattern: unknown, depth: number): Element {
  if (depth > maxDepth) {
    throw new PolicyError('policy-pattern-too-deep', `the pattern is nested more than ${maxDepth} levels deep`);
  }
  if (isFields(pattern)) return compileMap(pattern, depth, compileElement);
  if (Array.isArray(pattern)) return compileList(pattern, depth, compileElement);
  return { check: compileLeaf(pattern), hasAnchors: false };
}
