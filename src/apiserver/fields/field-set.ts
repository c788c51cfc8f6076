import type { FieldsV1 } from '../../object/index.ts';
import { FieldsError, fieldElement, type PathElement, parsePathElement } from '../../schema/index.ts';
import {
  emptyNode,
  equalNodes,
  type FieldNode,
  intersectNodes,
  isWithin,
  leafNode,
  leavesOf,
  makeNode,
  sortedElements,
  subtractNodes,
  unionNodes,
} from './field-node.ts';

// Objects that are written often pass the same fieldsV1 objects repeatedly. A trie takes about ten kilobytes; caching
// one for every stored object would take more memory than the objects, so only the latest are cached.
const parsed = new Map<FieldsV1, FieldSet>();
const maxParsed = 100;

function remember(fields: FieldsV1, set: FieldSet): void {
  if (parsed.size >= maxParsed) parsed.delete(parsed.keys().next().value!);
  parsed.set(fields, set);
}

/** An immutable set of field paths. Owning a path does not mean owning the paths above or below it. */
export class FieldSet {
  private rendered: FieldsV1 | undefined;
  private constructor(readonly root: FieldNode) {}

  static readonly empty = new FieldSet(emptyNode);

  static ofRoot(root: FieldNode | undefined): FieldSet {
    return root === undefined || root.children.size === 0 ? FieldSet.empty : new FieldSet(root);
  }

  static of(paths: Iterable<readonly PathElement[]>): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  }

  /** The set of named fields, each given by its names: `['metadata', 'name']`. */
  static ofFields(...paths: readonly (readonly string[])[]): FieldSet {
    return FieldSet.of(paths.map((path) => path.map(fieldElement)));
  }

  /** Throws FieldsError for an invalid path element; unknown kinds of elements are ignored. */
  static parse(fields: FieldsV1): FieldSet {
    const known = parsed.get(fields);
    if (known !== undefined) return known;
    const set = FieldSet.ofRoot(parseNode(fields));
    remember(fields, set);
    return set;
  }

  /** FieldsV1 in canonical order; the same object every time, so never change it. */
  render(): FieldsV1 {
    if (this.rendered === undefined) {
      this.rendered = renderNode(this.root);
      remember(this.rendered, this);
    }
    return this.rendered;
  }

  get isEmpty(): boolean {
    return this.root.children.size === 0;
  }

  has(path: readonly PathElement[]): boolean {
    let node: FieldNode | undefined = this.root;
    for (const element of path) {
      node = node.children.get(element);
      if (node === undefined) return false;
    }
    return node.member;
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other;
    return this.withRoot(unionNodes(this.root, other.root));
  }

  intersection(other: FieldSet): FieldSet {
    return this.withRoot(intersectNodes(this.root, other.root));
  }

  difference(other: FieldSet): FieldSet {
    return this.withRoot(subtractNodes(this.root, other.root, false));
  }

  /** Like `difference`, and also removes everything below a path of `other`. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.withRoot(subtractNodes(this.root, other.root, true));
  }

  leaves(): FieldSet {
    return this.withRoot(leavesOf(this.root));
  }

  isSubsetOf(other: FieldSet): boolean {
    return isWithin(this.root, other.root);
  }

  equals(other: FieldSet): boolean {
    return equalNodes(this.root, other.root);
  }

  /** Every path of the set, the members of a level before those below them. */
  paths(): readonly (readonly PathElement[])[] {
    const found: PathElement[][] = [];
    collect(this.root, [], found);
    return found;
  }

  private withRoot(root: FieldNode | undefined): FieldSet {
    return root === this.root ? this : FieldSet.ofRoot(root);
  }
}

interface DraftNode {
  member: boolean;
  children: Map<PathElement, FieldNode>;
}

/** Collects paths; call `build` once, at the end. */
export class FieldSetBuilder {
  private readonly root: DraftNode = { member: false, children: new Map() };

  /** Inserts the path, or with `node` everything in it. The empty path is ignored. */
  insert(path: readonly PathElement[], node: FieldNode = leafNode): void {
    const last = path.length - 1;
    let parent = this.root;
    for (let i = 0; i < last; i++) {
      const element = path[i]!;
      let child = parent.children.get(element);
      if (child === undefined || !this.drafts.has(child)) {
        child = { member: child?.member ?? false, children: new Map(child?.children) };
        this.drafts.add(child);
        parent.children.set(element, child);
      }
      parent = child as DraftNode;
    }
    const element = path[last];
    if (element === undefined) {
      for (const [name, child] of node.children) this.root.children.set(name, child);
      return;
    }
    const present = parent.children.get(element);
    parent.children.set(element, present === undefined ? node : unionNodes(present, node));
  }

  build(): FieldSet {
    return FieldSet.ofRoot(this.root);
  }

  // Nodes that this builder created and may still change; all others may be shared.
  private readonly drafts = new Set<FieldNode>();
}

function collect(node: FieldNode, prefix: readonly PathElement[], found: PathElement[][]): void {
  const elements = sortedElements(node);
  for (const element of elements) if (node.children.get(element)!.member) found.push([...prefix, element]);
  for (const element of elements) collect(node.children.get(element)!, [...prefix, element], found);
}

function parseNode(fields: unknown): FieldNode {
  if (fields === null) return leafNode;
  if (typeof fields !== 'object' || Array.isArray(fields))
    throw new FieldsError('fields-invalid', 'fieldsV1 must hold objects only');
  let member = false;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    children ??= new Map();
    children.set(element, parseNode(value));
  }
  return children === undefined ? leafNode : (makeNode(member, children) ?? leafNode);
}

function renderNode(node: FieldNode): FieldsV1 {
  const fields: Record<string, FieldsV1> = {};
  if (node.member && node.children.size > 0) fields['.'] = noFields;
  for (const element of sortedElements(node)) {
    const child = node.children.get(element)!;
    fields[element] = child.children.size === 0 ? noFields : renderNode(child);
  }
  return fields;
}

const noFields: FieldsV1 = Object.freeze({});
