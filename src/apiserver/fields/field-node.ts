import { comparePathElements, type PathElement } from '../../schema/index.ts';

/**
 * A node of the trie behind FieldSet. `member` means that the path to it is in the set; `children` are the longer
 * paths. Nodes are shared between sets and are immutable once a set holds them. A node that is not a member and has no
 * children does not exist.
 */
export interface FieldNode {
  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, FieldNode>;
}

const noChildren: ReadonlyMap<PathElement, FieldNode> = new Map();

/** A path with nothing below it. By far the most frequent node, so one instance is shared. */
export const leafNode: FieldNode = { member: true, children: noChildren };

/** The root of an empty set; only a root may be empty. */
export const emptyNode: FieldNode = { member: false, children: noChildren };

export const asMember = (node: FieldNode | undefined): FieldNode => {
  if (node === undefined) return leafNode;
  return node.member ? node : { member: true, children: node.children };
};

/** Undefined when nothing is left. */
export function makeNode(member: boolean, children: ReadonlyMap<PathElement, FieldNode>): FieldNode | undefined {
  if (children.size > 0) return { member, children };
  return member ? leafNode : undefined;
}

export function unionNodes(a: FieldNode, b: FieldNode): FieldNode {
  if (a === b) return a;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const [element, right] of b.children) {
    const left = a.children.get(element);
    const merged = left === undefined ? right : unionNodes(left, right);
    if (merged === left) continue;
    children ??= new Map(a.children);
    children.set(element, merged);
  }
  const member = a.member || b.member;
  return children === undefined && member === a.member ? a : { member, children: children ?? a.children };
}

export function intersectNodes(a: FieldNode, b: FieldNode): FieldNode | undefined {
  if (a === b) return a;
  const children = new Map<PathElement, FieldNode>();
  const [small, large] = a.children.size <= b.children.size ? [a, b] : [b, a];
  for (const [element, node] of small.children) {
    const other = large.children.get(element);
    const common = other === undefined ? undefined : intersectNodes(node, other);
    if (common !== undefined) children.set(element, common);
  }
  return makeNode(a.member && b.member, children);
}

/** With `recursive`, a member of `b` also removes everything below it. */
export function subtractNodes(a: FieldNode, b: FieldNode, recursive: boolean): FieldNode | undefined {
  if ((recursive && b.member) || a === b) return undefined;
  const member = a.member && !b.member;
  const children = subtractChildren(a, b, recursive);
  if (children === a.children && member === a.member) return a;
  return makeNode(member, children);
}

function subtractChildren(a: FieldNode, b: FieldNode, recursive: boolean): FieldNode['children'] {
  // Removing few children copies and deletes; removing many collects the rest.
  const isLittle = b.children.size * 2 < a.children.size;
  let changed: Map<PathElement, FieldNode> | undefined = isLittle ? undefined : new Map();
  let count = 0;
  for (const [element, child] of isLittle ? b.children : a.children) {
    const left = isLittle ? a.children.get(element) : child;
    const right = isLittle ? child : b.children.get(element);
    if (left === undefined) continue;
    const rest = right === undefined ? left : subtractNodes(left, right, recursive);
    if (rest !== left) count++;
    if (isLittle && rest !== left) {
      changed ??= new Map(a.children);
      if (rest === undefined) changed.delete(element);
      else changed.set(element, rest);
    } else if (!isLittle && rest !== undefined) changed?.set(element, rest);
  }
  return count === 0 ? a.children : (changed ?? a.children);
}

/** True when every path of `a` is in `b`. */
export function isWithin(a: FieldNode, b: FieldNode): boolean {
  if (a === b) return true;
  if ((a.member && !b.member) || a.children.size > b.children.size) return false;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined || !isWithin(child, other)) return false;
  }
  return true;
}

export function equalNodes(a: FieldNode, b: FieldNode): boolean {
  if (a === b) return true;
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [element, left] of a.children) {
    const right = b.children.get(element);
    if (right === undefined || !equalNodes(left, right)) return false;
  }
  return true;
}

/** Members without children. */
export function leavesOf(node: FieldNode): FieldNode {
  if (node.children.size === 0) return node;
  const children = new Map<PathElement, FieldNode>();
  for (const [element, child] of node.children) children.set(element, leavesOf(child));
  return { member: false, children };
}

export function sortedElements(node: FieldNode): readonly PathElement[] {
  const elements = [...node.children.keys()];
  if (elements.length < 2) return elements;
  // Plain names need no custom comparison, and the engine's own is much faster.
  return elements.every((element) => element.startsWith('f:')) ? elements.sort() : elements.sort(comparePathElements);
}
