import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { PatchError } from './patch-error.ts';

interface ListMerge {
  readonly mergeKey: string;
  /** The patch is a list of scalars to remove. */
  readonly isDeletion: boolean;
  readonly mergeElements: (original: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges two lists of objects by their key, or two lists of scalars as sets, and orders the result. */
export function mergeList(original: readonly Json[], patch: readonly Json[], merge: ListMerge): readonly Json[] {
  if (original.length === 0 && patch.length === 0) return original;
  const type = elementType([original, patch]);
  if (type !== 'map') {
    const named = new Set(patch);
    if (merge.isDeletion) return original.filter((item) => !named.has(item));
    return ordered([...new Set([...original, ...patch])], patch, original, itself);
  }
  const { mergeKey } = merge;
  if (mergeKey === '') throw new PatchError('inapplicable', 'cannot merge lists without merge key for object');
  const [base, change] = followElementDirectives(
    original as readonly JsonObject[],
    patch as readonly JsonObject[],
    mergeKey,
  );
  return ordered(mergeByKey(base, change, merge), change, base, keyIn(mergeKey));
}

/**
 * The order that counts as the server's beside `$setElementOrder`. Upstream merges in place, so an element that the
 * patch adds takes the position of one that it deletes: with a sidecar `s` that only the server knows, replacing `b` by
 * `n` in [a, s, b] gives [a, s, n], not [a, n, s].
 */
export function serverOrderOf(original: readonly Json[], patch: readonly Json[], mergeKey: string): readonly Json[] {
  if (mergeKey === '' || !original.every(isJsonObject) || !patch.every(isJsonObject)) return original;
  const isReplace = patch.some((element) => element['$patch'] === 'replace');
  const [survivors, change] = followElementDirectives(original, isReplace ? [] : patch, mergeKey);
  const known = new Set(survivors.map((element) => element[mergeKey]));
  const added = change.filter((element) => !known.has(element[mergeKey]));
  return [...survivors, ...added].slice(0, original.length);
}

interface ElementOrder {
  readonly patchOrder: readonly Json[];
  readonly serverOrder: readonly Json[];
  readonly mergeKey: string;
  /** The merged lists, to determine the type of their elements. */
  readonly all: readonly (readonly Json[])[];
}

/** Applies `$setElementOrder`: its order first, then that of the live list. */
export function putInOrder(merged: readonly Json[], order: ElementOrder): readonly Json[] {
  const isMap = elementType(order.all) === 'map';
  if (isMap && order.mergeKey === '') {
    throw new PatchError('inapplicable', '$setElementOrder needs a field whose elements have a merge key');
  }
  return ordered(merged, order.patchOrder, order.serverOrder, isMap ? keyIn(order.mergeKey) : itself);
}

/** All elements that the patch sets must be in its `$setElementOrder`, in the same order. */
export function checkAgainstOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const keyOf = mergeKey === '' ? itself : keyIn(mergeKey);
  const wanted = patch.filter((item) => !(mergeKey !== '' && isJsonObject(item) && Object.hasOwn(item, '$patch')));
  let at = 0;
  for (const item of order) {
    if (at === wanted.length) return;
    if (keyOf(wanted[at]!) === keyOf(item)) at++;
  }
  if (at < wanted.length) {
    throw new PatchError('inapplicable', "The order in patch list doesn't match $setElementOrder list");
  }
}

/** The type names that determine whether two values can be merged: those of Go's decoder, where 1 and 1.5 differ. */
export function typeOf(value: Json): 'map' | 'list' | 'int' | 'float' | 'string' | 'boolean' | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return 'map';
  }
}

/** Applies elements with `$patch` to the original list; the returned patch has none. */
function followElementDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): [readonly JsonObject[], readonly JsonObject[]] {
  const plain: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let isReplace = false;
  for (const element of patch) {
    if (!Object.hasOwn(element, '$patch')) plain.push(element);
    else if (element['$patch'] === 'delete') deleted.add(keyIn(mergeKey)(element));
    else if (element['$patch'] === 'replace') isReplace = true;
    else if (element['$patch'] === 'merge') {
      throw new PatchError('inapplicable', 'merging lists cannot yet be specified in the patch');
    } else throw new PatchError('inapplicable', `unknown patch type: ${JSON.stringify(element['$patch'])}`);
  }
  if (isReplace) return [plain, []];
  if (deleted.size === 0) return [original, plain];
  return [original.filter((element) => !deleted.has(element[mergeKey])), plain];
}

function mergeByKey(original: readonly JsonObject[], patch: readonly JsonObject[], merge: ListMerge): JsonObject[] {
  const result = [...original];
  const positions = firstPositions(result, (element) => (element as JsonObject)[merge.mergeKey]);
  for (const element of patch) {
    const key = keyIn(merge.mergeKey)(element);
    const at = positions.get(key);
    if (at === undefined) {
      positions.set(key, result.length);
      result.push(element);
    } else {
      result[at] = merge.mergeElements(result[at]!, element);
    }
  }
  return result;
}

type KeyOf = (element: Json) => unknown;

const itself: KeyOf = (element) => element;

const keyIn =
  (mergeKey: string): KeyOf =>
  (element) => {
    if (!isJsonObject(element)) throw new PatchError('inapplicable', 'expected an object among the elements of a list');
    if (!Object.hasOwn(element, mergeKey)) {
      const keys = Object.keys(element).join(', ');
      throw new PatchError('inapplicable', `map: {${keys}} does not contain declared merge key: ${mergeKey}`);
    }
    return element[mergeKey];
  };

/**
 * Elements of the patch are in its order, those that only the server has in the server's; a server's element goes
 * before the first patch element that the server has behind it.
 */
function ordered<T extends Json>(
  merged: readonly T[],
  patchOrder: readonly Json[],
  serverOrder: readonly Json[],
  keyOf: KeyOf,
): readonly T[] {
  const inPatch = firstPositions(patchOrder, keyOf);
  const inServer = firstPositions(serverOrder, keyOf);
  const ofPatch = sorted(
    merged.filter((element) => inPatch.has(keyOf(element))),
    inPatch,
    keyOf,
  );
  const ofServer = sorted(
    merged.filter((element) => !inPatch.has(keyOf(element))),
    inServer,
    keyOf,
  );
  const result: T[] = [];
  let next = 0;
  for (const element of ofPatch) {
    const limit = inServer.get(keyOf(element));
    while (next < ofServer.length && limit !== undefined) {
      const position = inServer.get(keyOf(ofServer[next]!));
      if (position === undefined || position >= limit) break;
      result.push(ofServer[next++]!);
    }
    result.push(element);
  }
  return [...result, ...ofServer.slice(next)];
}

/**
 * Sorts by a given order. Upstream treats an unknown element as smaller than any other, from both sides; up to 20
 * elements its sort is an insertion sort, and clients see the result of that.
 */
function sorted<T extends Json>(elements: readonly T[], order: ReadonlyMap<unknown, number>, keyOf: KeyOf): T[] {
  const rank = (element: T) => order.get(keyOf(element));
  const isOdd = elements.length <= 20 && elements.some((element) => rank(element) === undefined);
  if (!isOdd) return elements.toSorted((a, b) => (rank(a) ?? order.size) - (rank(b) ?? order.size));
  const result: T[] = [];
  for (const element of elements) {
    let at = result.length;
    while (at > 0 && (rank(element) ?? -1) < (rank(result[at - 1]!) ?? Number.POSITIVE_INFINITY)) at--;
    result.splice(at, 0, element);
  }
  return result;
}

function firstPositions(elements: readonly Json[], keyOf: KeyOf): Map<unknown, number> {
  const positions = new Map<unknown, number>();
  elements.forEach((element, index) => {
    const key = keyOf(element);
    if (!positions.has(key)) positions.set(key, index);
  });
  return positions;
}

function elementType(lists: readonly (readonly Json[])[]): string {
  let type: string | undefined;
  for (const element of lists.flat(1)) {
    const next = typeOf(element);
    if (next === 'list') throw new PatchError('inapplicable', 'lists of lists are not supported');
    if (next === 'null') throw new PatchError('inapplicable', 'null is not an element that can be merged');
    if (type !== undefined && type !== next) {
      throw new PatchError('inapplicable', `list element types are not identical: ${type} and ${next}`);
    }
    type = next;
  }
  if (type === undefined) throw new PatchError('inapplicable', 'no elements in any of the given slices');
  return type;
}
