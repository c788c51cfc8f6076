import { setOwn } from '../../base/index.ts';
import { duplicate, type FieldError, invalid } from './field-error.ts';
import { renderBadValue } from './go-text.ts';
import { renderTrail } from './path.ts';
import type { Plan } from './plan.ts';
import { type Fields, isObject } from './value.ts';

/** Appends an error for every element that a list of type set or map holds twice. */
export function checkLists(object: Fields, plan: Plan, errors: FieldError[]): void {
  walk(object, plan, [], errors);
}

type Trail = (string | number)[];

function walk(value: unknown, plan: Plan, trail: Trail, errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null || !mayHoldLists(plan)) return;
  if (Array.isArray(value)) {
    if (plan.listType === 'set') checkSet(value.length, (i) => value[i], trail, errors);
    else if (plan.listType === 'map') checkMap(value, plan, trail, errors);
    if (!plan.items) return;
    for (let i = 0; i < value.length; i++) {
      trail.push(i);
      walk(value[i], plan.items, trail, errors);
      trail.pop();
    }
    return;
  }
  for (const key in value) {
    const child = plan.properties?.get(key) ?? plan.additional;
    if (!child) continue;
    trail.push(key);
    walk((value as Fields)[key], child, trail, errors);
    trail.pop();
  }
}

function checkMap(list: readonly unknown[], plan: Plan, trail: Trail, errors: FieldError[]): void {
  for (let i = 0; i < list.length; i++) {
    if (list[i] !== null && !isObject(list[i])) {
      errors.push(invalid(renderTrail([...trail, i]), list[i], 'must be an object for an array of list-type map'));
      return;
    }
  }
  const names = plan.schema['x-kubernetes-list-map-keys'] ?? [];
  const single = names.length === 1 ? names[0]! : undefined;
  // The key alone tells elements apart when there is but one; the object around it is for the message.
  if (single !== undefined && areDistinct(list.length, (i) => (list[i] as Fields | null)?.[single])) return;
  const keyOf = (i: number) => {
    const item = list[i];
    const key: Record<string, unknown> = {};
    for (const name of names) if (isObject(item) && Object.hasOwn(item, name)) setOwn(key, name, item[name]);
    return key;
  };
  checkSet(list.length, keyOf, trail, errors);
}

function checkSet(size: number, keyOf: (i: number) => unknown, trail: Trail, errors: FieldError[]): void {
  if (areDistinct(size, keyOf)) return;
  const seen = new Map<string, number>();
  for (let i = 0; i < size; i++) {
    const key = keyOf(i);
    const text = renderBadValue(key);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    // Only the second of several equal elements is reported.
    if (times === 1) errors.push(duplicate(renderTrail([...trail, i]), key));
  }
}

/** True when no two can be equal; false when a closer look is needed. */
function areDistinct(size: number, keyOf: (i: number) => unknown): boolean {
  if (size < 2) return true;
  const seen = new Set<unknown>();
  for (let i = 0; i < size; i++) {
    const key = keyOf(i);
    if (typeof key === 'object' || seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

const holders = new WeakMap<Plan, boolean>();

/** Whether a set or map list can be reached: most schemas have none, and then the walk costs nothing. */
function mayHoldLists(plan: Plan): boolean {
  const known = holders.get(plan);
  if (known !== undefined) return known;
  // Assumed while its own children are looked at, for schemas that contain themselves.
  holders.set(plan, true);
  const result =
    plan.listType === 'set' ||
    plan.listType === 'map' ||
    (plan.items !== undefined && mayHoldLists(plan.items)) ||
    (plan.additional !== undefined && mayHoldLists(plan.additional)) ||
    [...(plan.properties?.values() ?? [])].some(mayHoldLists);
  holders.set(plan, result);
  return result;
}
