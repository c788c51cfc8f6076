import type { JsonObject } from '../../base/index.ts';
import {
  asList,
  asMap,
  deducedShape,
  equalJson,
  type Form,
  fieldElement,
  fieldOf,
  formOf,
  groupItems,
  type Items,
  isEmptyMap,
  type ListShape,
  type MapShape,
  type PathElement,
  type Shape,
  shapeOfKind,
} from '../../schema/index.ts';
import type { Schema } from '../schema/index.ts';
import { type FieldNode, leafNode } from './field-node.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * The fields that `after` added, changed and removed. Throws FieldsError when an associative list that differs holds
 * items without identity.
 */
export function compare(before: unknown, after: unknown, schema: Schema | undefined): Comparison {
  const walk = new CompareWalk();
  walk.compare(shapeOfKind(schema), before, after);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

/** The comparison without the fields in `ignored` and everything below them. */
export function withoutFields(comparison: Comparison, ignored: FieldSet | undefined): Comparison {
  if (ignored === undefined || ignored.isEmpty) return comparison;
  return {
    added: comparison.added.recursiveDifference(ignored),
    modified: comparison.modified.recursiveDifference(ignored),
    removed: comparison.removed.recursiveDifference(ignored),
  };
}

// `undefined` means absent on either side, and differs from null.
class CompareWalk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  private readonly path: PathElement[] = [];

  compare(shape: Shape, before: unknown, after: unknown): void {
    if (before === after) return;
    if (before === undefined) this.added.insert(this.path, wholeOf(shape, after));
    else if (after === undefined) this.removed.insert(this.path, wholeOf(shape, before));
    else this.both(shape, before, after);
  }

  // A value that changed its form (a scalar became a map) is compared in both forms.
  private both(shape: Shape, before: unknown, after: unknown): void {
    const formBefore = formOf(shape, before);
    const form = formOf(shape, after);
    if (formBefore !== form) this.visit(shape, formBefore, before, after);
    this.visit(shape, form, before, after);
  }

  private visit(shape: Shape, form: Form, before: unknown, after: unknown): void {
    if (form === 'scalar') this.leaf(before, after);
    else if (form === 'list') this.lists(shape.list!, before, after);
    else this.maps(shape.map!, before, after);
  }

  private leaf(before: unknown, after: unknown): void {
    if (!equalJson(before, after)) this.modified.insert(this.path);
  }

  private maps(shape: MapShape, before: unknown, after: unknown): void {
    const left = asMap(before);
    const right = asMap(after);
    // Two empty maps are a leaf, so that null and {} stay different.
    if (shape.isAtomic || (isEmptyMap(left) && isEmptyMap(right))) this.leaf(before, after);
    else this.fields(shape, left, right);
  }

  private fields(shape: MapShape, left: JsonObject | undefined, right: JsonObject | undefined): void {
    for (const name in left) {
      const value = fieldOf(right, name);
      this.field(shape, name, left[name], value === undefined && right ? zeroOf(shape, name) : value);
    }
    for (const name in right)
      if (fieldOf(left, name) === undefined) this.field(shape, name, left && zeroOf(shape, name), right[name]);
  }

  private field(shape: MapShape, name: string, before: unknown, after: unknown): void {
    if (before === after) return;
    this.path.push(fieldElement(name));
    this.compare(shape.declared(name) ?? shape.others ?? deducedShape, before, after);
    this.path.pop();
  }

  private lists(shape: ListShape, before: unknown, after: unknown): void {
    const left = asList(before) ?? [];
    const right = asList(after) ?? [];
    if (shape.kind === 'atomic' || (left.length === 0 && right.length === 0)) this.leaf(before, after);
    else if (!equalJson(left, right)) this.items(shape, groupItems(shape, left), groupItems(shape, right));
  }

  private items(shape: ListShape, left: Items, right: Items): void {
    for (const [element, before] of left) this.item(shape, element, before, right.get(element) ?? []);
    for (const [element, after] of right) if (!left.has(element)) this.item(shape, element, [], after);
  }

  /** Items with the same identity are owned together, as one value. */
  private item(shape: ListShape, element: PathElement, before: readonly unknown[], after: readonly unknown[]): void {
    this.path.push(element);
    if (before.length <= 1 && after.length <= 1) this.compare(shape.item, before[0], after[0]);
    else if (before.length > 1 && after.length > 1) this.leaf(before, after);
    else if (before.length > 1) {
      if (after.length > 0) this.compare(shape.item, undefined, after[0]);
      this.removed.insert(this.path);
    } else {
      if (before.length > 0) this.compare(shape.item, before[0], undefined);
      this.added.insert(this.path);
    }
    this.path.pop();
  }
}

/** All paths of a value that is on one side only, on every level. */
function wholeOf(shape: Shape, value: unknown): FieldNode {
  const form = formOf(shape, value);
  if (form === 'scalar') return leafNode;
  const children = new Map<PathElement, FieldNode>();
  if (form === 'map') wholeFields(shape.map!, asMap(value), children);
  else if (shape.list!.kind !== 'atomic') {
    for (const [element, items] of groupItems(shape.list!, asList(value) ?? []))
      children.set(element, items.length > 1 ? leafNode : wholeOf(shape.list!.item, items[0]));
  }
  return children.size === 0 ? leafNode : { member: true, children };
}

function wholeFields(shape: MapShape, map: JsonObject | undefined, into: Map<PathElement, FieldNode>): void {
  if (shape.isAtomic || map === undefined) return;
  const add = (name: string, value: unknown) =>
    into.set(fieldElement(name), wholeOf(shape.declared(name) ?? shape.others ?? deducedShape, value));
  for (const name in map) if (map[name] !== undefined) add(name, map[name]);
  for (const [name, zero] of shape.zeroes) if (map[name] === undefined) add(name, zero);
}

function zeroOf(shape: MapShape, name: string): unknown {
  for (const [zeroName, zero] of shape.zeroes) if (zeroName === name) return zero;
  return undefined;
}
