import type { Json, JsonObject } from '../base/index.ts';
import { setOwn } from '../base/index.ts';
import type { PathElement } from './path-element.ts';
import { deducedShape, type ListShape, type MapShape, type Shape, shapeOfKind } from './shape.ts';
import type { Schema } from './types.ts';
import { asList, asMap, equalJson, fieldOf, formOf, itemElement } from './value.ts';

/**
 * The live object with the applied configuration merged in. Nothing is removed. Unchanged parts are those of the live
 * object; a merge that changes nothing returns the live object itself.
 */
export function mergeApplied(live: JsonObject, applied: JsonObject, schema: Schema | undefined): JsonObject {
  return merge(shapeOfKind(schema), live, applied) as JsonObject;
}

/** At least one side exists; absent is `undefined`. */
function merge(shape: Shape, live: unknown, applied: unknown): unknown {
  if (applied === undefined || live === applied) return live;
  const form = formOf(shape, applied);
  if (form === 'scalar') return leaf(live, applied);
  return form === 'list' ? mergeLists(shape.list!, live, applied) : mergeMaps(shape.map!, live, applied);
}

const leaf = (live: unknown, applied: unknown) => (live !== undefined && equalJson(live, applied) ? live : applied);

const isEmpty = (value: object | undefined) => value === undefined || Object.keys(value).length === 0;

function mergeMaps(shape: MapShape, live: unknown, applied: unknown): unknown {
  const left = asMap(live);
  const right = asMap(applied);
  if (shape.isAtomic || (isEmpty(left) && isEmpty(right))) return leaf(live, applied);
  const result: Record<string, Json | undefined> = { ...left };
  let isChanged = left === undefined;
  for (const name in right) {
    if (right[name] === undefined) continue;
    const merged = merge(shape.declared(name) ?? shape.others ?? deducedShape, fieldOf(left, name), right[name]);
    if (left !== undefined && merged === fieldOf(left, name)) continue;
    setOwn(result, name, merged as Json);
    isChanged = true;
  }
  return isChanged ? result : live;
}

function mergeLists(shape: ListShape, live: unknown, applied: unknown): unknown {
  const left = asList(live) ?? [];
  const right = asList(applied) ?? [];
  if (shape.kind === 'atomic' || (left.length === 0 && right.length === 0)) return leaf(live, applied);
  const result = mergeItems(shape, left, right);
  const isSame = result.length === left.length && result.every((item, i) => item === left[i]);
  return isSame ? live : result;
}

/**
 * Live items keep their order and their places between the applied ones; items on both sides follow the applied order.
 * An applied item takes the place of its live one if that keeps the applied order, else it follows the one before it.
 */
function mergeItems(shape: ListShape, left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const leftElements = left.map((item) => itemElement(shape, item));
  const rightElements = right.map((item) => itemElement(shape, item));
  const liveItems = uniqueItems(leftElements, left);
  const appliedItems = new Map(rightElements.map((element, i) => [element, right[i]]));
  const shared = rightElements.filter((element) => liveItems.has(element));
  let nextShared = 0;

  const result: unknown[] = [];
  const done = new Set<PathElement>();
  const takeApplied = (element: PathElement) => {
    done.add(element);
    result.push(merge(shape.item, liveItems.get(element), appliedItems.get(element)));
    if (shared[nextShared] === element) nextShared++;
  };

  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const element = leftElements[l];
    if (element !== undefined && r < right.length) {
      if (element === rightElements[r]) {
        takeApplied(element);
        l++;
        r++;
        continue;
      }
      if (appliedItems.has(element) && nextShared < shared.length && shared[nextShared] !== element) {
        l++;
        continue;
      }
    }
    if (element !== undefined) {
      if (!appliedItems.has(element)) {
        result.push(left[l]);
        l++;
        continue;
      }
      if (done.has(element)) l++;
    }
    if (r < right.length) {
      takeApplied(rightElements[r]!);
      r++;
    }
  }
  return result;
}

/** Duplicate live items are not merged into: the applied item replaces them. */
function uniqueItems(elements: readonly PathElement[], items: readonly unknown[]): ReadonlyMap<PathElement, unknown> {
  const unique = new Map<PathElement, unknown>();
  elements.forEach((element, i) => {
    unique.set(element, unique.has(element) ? undefined : items[i]);
  });
  return unique;
}
