import { fieldOf, isEmptyMap, isMissing, type Tree, textOf, wrongKind } from './tree.ts';

export interface Elements {
  items: Tree[];
}

/**
 * Replaces every element that has these values under these keys, or appends if none has; without an element, removes
 * them. An empty value matches any value, a key without a value matches none; the key `''` means the element itself.
 * Nulls and empty maps are removed from the list on every call.
 */
export function setElement(
  list: Elements,
  keys: readonly string[],
  values: readonly string[],
  element: Tree | undefined,
): void {
  const ofMaps = (keys[0] ?? '') !== '' && (values[0] ?? '') !== '';
  const items: Tree[] = [];
  let found = false;
  for (const item of list.items) {
    if (isEmptyMap(item)) continue;
    if (ofMaps && item.kind !== 'map') items.push(item);
    else if (!matchesAll(item, keys, values)) {
      if (values.length > 0) items.push(item);
    } else {
      found = true;
      if (element) items.push(element);
    }
  }
  if (element && !found && !isMissing(element)) items.push(element);
  list.items = items;
}

function matchesAll(item: Tree, keys: readonly string[], values: readonly string[]): boolean {
  let matched = false;
  for (const [index, key] of keys.entries()) {
    // A key without a value keeps the result of the key before it.
    const value = values[index];
    if (value !== undefined) matched = hasValue(item, key, value);
    if (!matched) return false;
  }
  return true;
}

function hasValue(item: Tree, key: string, value: string): boolean {
  if (key === '') {
    if (item.kind !== 'scalar') throw wrongKind('scalar', item);
    return textOf(item) === value;
  }
  if (item.kind !== 'map') throw wrongKind('map', item);
  const field = fieldOf(item, key);
  return field !== undefined && (value === '' || textOf(field) === value);
}

/** The first element with exactly these values. */
export function findElement(
  list: Tree | undefined,
  keys: readonly string[],
  values: readonly string[],
): Tree | undefined {
  if (list?.kind !== 'list') return undefined;
  if ((keys[0] ?? '') === '') return list.items.find((item) => textOf(item) === (values[0] ?? ''));
  if (keys.length !== values.length) return undefined;
  return list.items.find((item) =>
    keys.every((key, index) => {
      const field = fieldOf(item, key);
      return field !== undefined && textOf(field) === values[index];
    }),
  );
}
