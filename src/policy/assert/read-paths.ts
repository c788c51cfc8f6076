import { isJsonObject } from '../../base/index.ts';
import { anyField, compile, type ReadPath, readPaths } from '../../jmespath/index.ts';
import { parseNotation } from './notation.ts';

/** Which parts of a value a tree may read. A binding (`->`) reads the value that it is bound to. */
export function assertionPaths(tree: unknown, at: readonly ReadPath[] = [[]]): readonly ReadPath[] {
  if (Array.isArray(tree)) return [...at, ...tree.flatMap((item) => assertionPaths(item, step(at, anyField)))];
  if (typeof tree === 'string') return [...at, ...expressionPaths(tree, at)];
  if (!isJsonObject(tree)) return at;
  const keys = Object.entries(tree);
  return keys.length === 0 ? at : keys.flatMap(([key, below]) => entryPaths(key, below, at));
}

function entryPaths(key: string, tree: unknown, at: readonly ReadPath[]): readonly ReadPath[] {
  const notation = parseNotation(key);
  const found = notation?.isExpression ? expressionPaths(key, at) : step(at, notation?.statement ?? key);
  // A bound value may be used anywhere below, so it counts as read completely.
  const named = notation?.isExpression || notation?.binding !== undefined ? found : [];
  return [...named, ...assertionPaths(tree, notation?.each ? step(found, anyField) : found)];
}

function expressionPaths(text: string, at: readonly ReadPath[]): readonly ReadPath[] {
  const notation = parseNotation(text);
  return notation?.isExpression ? readPaths(compile(notation.statement, { dialect: 'community' }).ast, at) : [];
}

const step = (paths: readonly ReadPath[], name: string): readonly ReadPath[] => paths.map((path) => [...path, name]);
