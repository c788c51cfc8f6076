import { isJsonObject } from '../../base/index.ts';
import {
  asList,
  asMap,
  deducedShape,
  fieldElement,
  formOf,
  groupItems,
  isEmptyMap,
  type ListShape,
  type MapShape,
  type PathElement,
  type Shape,
  shapeOfKind,
} from '../../schema/index.ts';
import type { Schema } from '../schema/index.ts';
import { asMember, type FieldNode, leafNode, makeNode } from './field-node.ts';
import { FieldSet } from './field-set.ts';

/**
 * The fields that a configuration sets: its leaves, the items of its associative lists, and the fields of maps whose
 * names the schema does not fix. Atomic lists and maps are leaves.
 */
export function fieldSetOf(value: unknown, schema: Schema | undefined): FieldSet {
  return FieldSet.ofRoot(mentioned(shapeOfKind(schema), value));
}

function mentioned(shape: Shape, value: unknown): FieldNode | undefined {
  const form = formOf(shape, value);
  if (form === 'scalar') return leafNode;
  return form === 'list' ? mentionedItems(shape.list!, value) : mentionedFields(shape.map!, value);
}

function mentionedFields(shape: MapShape, value: unknown): FieldNode | undefined {
  if (shape.isAtomic) return leafNode;
  const map = asMap(value);
  const children = new Map<PathElement, FieldNode>();
  for (const name in map) {
    const child = map[name];
    if (child === undefined) continue;
    const declared = shape.declared(name);
    const node = mentioned(declared ?? shape.others ?? deducedShape, child);
    const isMember = declared === undefined || child === null || (isJsonObject(child) && isEmptyMap(child));
    if (isMember) children.set(fieldElement(name), asMember(node));
    else if (node !== undefined) children.set(fieldElement(name), node);
  }
  return makeNode(false, children);
}

function mentionedItems(shape: ListShape, value: unknown): FieldNode | undefined {
  if (shape.kind === 'atomic') return leafNode;
  const children = new Map<PathElement, FieldNode>();
  // Items with the same identity are owned together, as one value.
  for (const [element, items] of groupItems(shape, asList(value) ?? []))
    children.set(element, items.length > 1 ? leafNode : asMember(mentioned(shape.item, items[0])));
  return makeNode(false, children);
}
