import type { PathElement } from '../../schema/index.ts';
import { type Shape, shapeOfKind } from '../../schema/index.ts';
import type { Schema } from '../schema/index.ts';
import { type FieldNode, leafNode } from './field-node.ts';
import { FieldSet } from './field-set.ts';

/** The set with the fields that the schema names added wherever something below them is in it. */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  return FieldSet.ofRoot(nameFields(set.root, shapeOfKind(schema)));
}

function nameFields(node: FieldNode, shape: Shape | undefined): FieldNode {
  if (node.children.size === 0) return node;
  const children = new Map<PathElement, FieldNode>();
  for (const [element, child] of node.children) {
    const named = nameFields(child, childShape(shape, element));
    const isNamed = element.startsWith('f:') && shape?.map?.declared(element.slice(2)) !== undefined;
    children.set(element, isNamed && !named.member ? { member: true, children: named.children } : named);
  }
  return { member: node.member, children };
}

function childShape(shape: Shape | undefined, element: PathElement): Shape | undefined {
  if (element.startsWith('f:')) return shape?.map?.declared(element.slice(2)) ?? shape?.map?.others;
  return element.startsWith('k:') ? shape?.list?.item : undefined;
}

const fitted = new WeakMap<FieldSet, { readonly schema: Schema; readonly set: FieldSet }>();

/**
 * The set in the terms of today's schema: ownership of parts of something that has become atomic since is ownership of
 * the whole.
 */
export function fitToSchema(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (schema === undefined) return set;
  const known = fitted.get(set);
  if (known?.schema === schema) return known.set;
  const root = fitNode(set.root, shapeOfKind(schema));
  const result = root === set.root ? set : FieldSet.ofRoot(root);
  fitted.set(set, { schema, set: result });
  return result;
}

function fitNode(node: FieldNode, shape: Shape): FieldNode {
  if (node.children.size === 0) return node;
  const { map } = shape;
  if (map) {
    if (!map.hasDeclared && map.others?.scalar === 'untyped' && !map.isAtomic) return node;
    if (map.isAtomic) return leafNode;
    return fitChildren(
      node,
      (element) => (element.startsWith('f:') ? map.declared(element.slice(2)) : undefined) ?? map.others,
    );
  }
  if (shape.scalar !== undefined || shape.list === undefined) return node;
  const { kind, item } = shape.list;
  return kind === 'atomic' ? leafNode : fitChildren(node, () => item);
}

function fitChildren(node: FieldNode, shapeAt: (element: PathElement) => Shape | undefined): FieldNode {
  let children: Map<PathElement, FieldNode> | undefined;
  for (const [element, child] of node.children) {
    const shape = shapeAt(element);
    const result = shape === undefined ? child : fitNode(child, shape);
    if (result === child) continue;
    children ??= new Map(node.children);
    children.set(element, result);
  }
  return children === undefined ? node : { member: node.member, children };
}
