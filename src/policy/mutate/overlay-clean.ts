import { PolicyError } from '../errors.ts';
import { type Anchor, parseAnchor, renderAnchor } from '../pattern/index.ts';
import { hasAnchors, isCondition, isPatchAnchor } from './anchor.ts';
import { fieldOf, type ListTree, type MapTree, removeField, type Tree, wrongKind } from './tree.ts';

/** Removes the checked conditions from a patch, and the maps that become empty. */
export function dropConditions(pattern: Tree): void {
  if (pattern.kind !== 'map') throw wrongKind('map', pattern);
  for (const { key } of [...pattern.fields]) {
    const value = fieldOf(pattern, key);
    if (value && clearAnchors(value, isCondition(parseAnchor(key)))) removeField(pattern, key);
  }
}

/** Returns true when the node itself is to be removed; a scalar is removed if its key was a condition. */
export function clearAnchors(tree: Tree, dropScalar: boolean): boolean {
  if (tree.kind === 'map') return clearMap(tree);
  if (tree.kind === 'list') return clearList(tree);
  return dropScalar;
}

function clearMap(map: MapTree): boolean {
  let kept = false;
  for (const { key } of [...map.fields]) {
    const anchor = parseAnchor(key);
    if (!anchor || !isCondition(anchor)) continue;
    const text = renderAnchor(anchor.kind, anchor.key);
    const value = fieldOf(map, text);
    if (!value) throw spacedAnchor(anchor);
    if (clearAnchors(value, true)) removeField(map, text);
    else kept = true;
  }
  if (kept) stripConditions(map);
  let empty = true;
  for (const { key } of [...map.fields]) {
    const value = fieldOf(map, key);
    if (value && clearAnchors(value, false)) removeField(map, key);
    else empty = false;
  }
  return empty;
}

/** A condition on a map that also patches below it: `(metadata)` becomes `metadata`. */
function stripConditions(map: MapTree): void {
  for (const field of map.fields) {
    const anchor = parseAnchor(field.key);
    if (anchor && isCondition(anchor)) field.key = anchor.key;
  }
}

function clearList(list: ListTree): boolean {
  const doomed: number[] = [];
  list.items.forEach((item, index) => {
    if (hasAnchors(item, isPatchAnchor) || clearAnchors(item, false)) doomed.push(index);
  });
  if (doomed.length === 0) return false;
  list.items = removeShifting(list.items, doomed);
  return list.items.length === 0;
}

/**
 * Upstream removes by the indexes of the original list although each removal shifts the rest, so that the second anchored
 * element removes a neighbour instead. The result is the same here, except where upstream would run past the end and
 * crash: then the anchored elements are removed.
 */
function removeShifting(items: readonly Tree[], doomed: readonly number[]): Tree[] {
  const shifted = [...items];
  for (const index of doomed) {
    if (index >= shifted.length) return items.filter((_, position) => !doomed.includes(position));
    shifted.splice(index, 1);
  }
  return shifted;
}

/** Upstream looks up an anchor in its canonical form, and crashes on one with surrounding spaces. */
export function spacedAnchor({ kind, key }: Anchor): PolicyError {
  return new PolicyError(
    'policy-mutate-anchor',
    `write the anchor ${renderAnchor(kind, key)} without spaces around it`,
  );
}
