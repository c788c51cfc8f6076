import { takeDirective } from './directive.ts';
import { type Elements, findElement, setElement } from './elements.ts';
import type { Merge, MergeContext } from './merge-context.ts';
import {
  fieldOf,
  isEmpty,
  isEmptyMap,
  isMissing,
  isNull,
  type ListTree,
  scalarOf,
  setField,
  type Tree,
  textOf,
  wrongKind,
} from './tree.ts';

/** The values of one element under the list's keys, `''` if it has none. */
type Identity = readonly string[];

/** Merges lists whose elements are identified by keys, or by their value if there are no keys. */
export function mergeByKey(context: MergeContext, schemaKeys: readonly string[], merge: Merge): Tree | undefined {
  const { patch } = context;
  const target = listTarget(context.resource, patch);
  if (target?.kind !== 'list') return target;
  const keys = schemaKeys.length === 0 ? [''] : schemaKeys;
  let identities = identitiesOf([patch, target], keys);
  if (identities.length === 0) return target;
  if (keys.length > 1) identities = completeIdentities(identities);
  const usedKeys = keysInUse(identities, keys);
  const merged: ListTree = { kind: 'list', items: [] };
  for (const identity of identities) {
    const values = usedKeys.map((key) => identity[keys.indexOf(key)]!);
    mergeElement({ context, target, merged, keys: usedKeys, values, merge });
  }
  appendRest(merged, target, usedKeys);
  return merged;
}

function listTarget(resource: Tree | undefined, patch: Tree | undefined): Tree | undefined {
  if (isMissing(resource)) return patch;
  if (patch && isNull(patch)) return undefined;
  const directive = takeDirective(patch);
  if (directive === 'delete') return undefined;
  return directive === 'replace' ? patch : resource;
}

interface ElementMerge {
  readonly context: MergeContext;
  readonly target: ListTree;
  readonly merged: ListTree;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly merge: Merge;
}

function mergeElement({ context, target, merged, keys, values, merge }: ElementMerge): void {
  // An element without one of the keys is looked up by the keys it has.
  const known = keys.filter((_, index) => values[index] !== '');
  const [lookupKeys, lookupValues] =
    known.length === 0 ? [keys, values] : [known, values.filter((value) => value !== '')];
  const element = merge({
    resource: findElement(target, lookupKeys, lookupValues),
    patch: findElement(context.patch, lookupKeys, lookupValues),
    field: context.field?.below && { below: context.field.below },
    inside: context.inside,
    listKeys: context.listKeys,
  });
  if (element === undefined || isEmptyMap(element)) {
    setElement(target, keys, values, undefined);
    return;
  }
  for (const [index, key] of keys.entries()) {
    const value = values[index]!;
    if (element.kind === 'map' && value !== '' && !fieldOf(element, key)) setField(element, key, scalarOf(value));
  }
  setElement(merged, keys, values, element);
}

/** Elements of the resource follow those of the patch; a merged element stays at the front. */
function appendRest(merged: Elements, target: ListTree, keys: readonly string[]): void {
  for (const item of target.items) {
    if (keys[0] === '') {
      setElement(merged, keys, [textOf(item)], item);
      continue;
    }
    const values: string[] = [];
    for (const key of keys) {
      if (!isMissing(item) && item.kind !== 'map') throw wrongKind('map', item);
      const value = fieldOf(item, key);
      if (value) values.push(textOf(value));
      else merged.items = [...merged.items, item];
    }
    if (keys.length > 1) setElement(merged, keys, values, undefined);
    setElement(merged, keys, values, item);
  }
}

function identitiesOf(lists: readonly (Tree | undefined)[], keys: readonly string[]): readonly Identity[] {
  const identities = new Map<string, Identity>();
  for (const list of lists) {
    if (list?.kind !== 'list') continue;
    for (const item of list.items) {
      const identity = keys.map((key) => identityPart(item, key));
      const text = JSON.stringify(identity);
      if (!identities.has(text)) identities.set(text, identity);
    }
  }
  return [...identities.values()];
}

function identityPart(item: Tree, key: string): string {
  if (key === '') return textOf(item);
  const value = fieldOf(item, key);
  return value === undefined || isEmpty(value) ? '' : textOf(value);
}

/** A port without a protocol and the same port with one are the same port. */
function completeIdentities(identities: readonly Identity[]): readonly Identity[] {
  const completed = [...identities];
  for (let i = 0; i < completed.length; i++) {
    const first = completed[i]!;
    for (let j = 0; j < completed.length; j++) {
      const both = unite(first, completed[j]!);
      if (both) completed[i] = completed[j] = both;
    }
  }
  return completed;
}

function unite(a: Identity, b: Identity): Identity | undefined {
  if (!a.some((value, index) => value === b[index])) return undefined;
  if (a.some((value, index) => value !== b[index] && value !== '' && b[index] !== '')) return undefined;
  return a.map((value, index) => (value !== '' ? value : b[index]!));
}

function keysInUse(identities: readonly Identity[], keys: readonly string[]): readonly string[] {
  const used = keys.filter((_, index) => identities.some((identity) => identity[index] !== ''));
  return used.length === 0 ? keys : used;
}
