import type { Json, JsonObject } from '../../base/index.ts';
import { setOwn } from '../../base/index.ts';
import {
  asList,
  asMap,
  deducedShape,
  fieldElement,
  formOf,
  itemElement,
  type ListShape,
  type MapShape,
  type Shape,
  shapeOfKind,
} from '../../schema/index.ts';
import type { Schema } from '../schema/index.ts';
import { emptyNode, type FieldNode } from './field-node.ts';
import type { FieldSet } from './field-set.ts';

/**
 * The object without the fields and items in `fields`. A map or list of which nothing is left becomes null, as the real
 * server leaves it.
 */
export function removeFields(object: JsonObject, fields: FieldSet, schema: Schema | undefined): JsonObject {
  if (fields.isEmpty) return object;
  return remove(shapeOfKind(schema), object, fields.root) as JsonObject;
}

function remove(shape: Shape, value: unknown, fields: FieldNode): unknown {
  const form = formOf(shape, value);
  if (form === 'scalar') return value;
  return form === 'list' ? removeItems(shape.list!, value, fields) : removeFromMap(shape.map!, value, fields);
}

function removeFromMap(shape: MapShape, value: unknown, fields: FieldNode): unknown {
  const map = asMap(value);
  if (map === undefined || shape.isAtomic) return null;
  const kept: Record<string, Json | undefined> = {};
  let count = 0;
  let isChanged = false;
  for (const name in map) {
    const child = map[name];
    if (child === undefined) continue;
    const node = fields.children.get(fieldElement(name)) ?? emptyNode;
    if (node.member) {
      isChanged = true;
      continue;
    }
    const rest =
      node.children.size === 0 ? child : remove(shape.declared(name) ?? shape.others ?? deducedShape, child, node);
    if (rest !== child) isChanged = true;
    setOwn(kept, name, rest as Json);
    count++;
  }
  if (count === 0) return null;
  return isChanged ? kept : map;
}

function removeItems(shape: ListShape, value: unknown, fields: FieldNode): unknown {
  const list = asList(value);
  if (list === undefined || shape.kind === 'atomic') return null;
  const kept: unknown[] = [];
  for (const item of list) {
    const node = fields.children.get(itemElement(shape, item)) ?? emptyNode;
    if (!node.member) kept.push(node.children.size === 0 ? item : remove(shape.item, item, node));
  }
  if (kept.length === 0) return null;
  return kept.length === list.length && kept.every((item, i) => item === list[i]) ? list : kept;
}
