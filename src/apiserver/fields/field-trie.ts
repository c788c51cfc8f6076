import type { JsonObject } from '../../base/index.ts';
import {
  asMap,
  deducedShape,
  isEmptyMap,
  itemElement,
  type ListShape,
  type MapShape,
  type Shape,
} from '../../schema/index.ts';
import type { FieldSet } from './field-set.ts';

/** A name, the identity of a list item, or one of the markers below. */
type Token = string | number;

const marks = { map: 0, list: 1, end: 2, other: 3, atomic: 4, emptyAtomic: 5, null: 6, empty: 7, zero: 8, false: 9 };

/** Numbers that identify items come after the markers. */
const firstNumber = 10;

/** The end of the walk over an object, with the cached result for all objects whose walks end there. */
export class TrieNode {
  fields: FieldSet | undefined;
  // Most nodes belong to one template only.
  private token: Token | undefined;
  private node: TrieNode | undefined;
  private others: Map<Token, TrieNode> | undefined;

  after(token: Token): TrieNode | undefined {
    return this.token === token ? this.node : this.others?.get(token);
  }

  grow(token: Token): TrieNode {
    const node = new TrieNode();
    if (this.node === undefined) {
      this.token = token;
      this.node = node;
    } else (this.others ??= new Map()).set(token, node);
    return node;
  }
}

/**
 * Groups objects of a kind in which the same fields are set: the same names, identities of list items, and scalars that
 * are zero, whatever the other values are. Objects of one template end at the same node.
 */
export class FieldTrie {
  private root = new TrieNode();
  private size = 0;
  private at = this.root;

  /** Starts again when there are more nodes than this, which is more templates than a cluster has. */
  constructor(private readonly maxNodes: number) {}

  /** Throws FieldsError where an item of an associative list has no identity. */
  nodeOf(shape: Shape, value: unknown): TrieNode {
    if (this.size > this.maxNodes) {
      this.root = new TrieNode();
      this.size = 0;
    }
    this.at = this.root;
    this.walk(shape, value);
    return this.at;
  }

  private walk(shape: Shape, value: unknown): void {
    if (Array.isArray(value)) this.list(shape.list, value);
    else if (typeof value === 'object' && value !== null) this.map(shape.map, value as JsonObject);
    else this.scalar(value);
  }

  // Fields that Go never omits are compared with their zero, so a zero differs from any other value.
  private scalar(value: unknown): void {
    if (value === null) this.step(marks.null);
    else if (value === '') this.step(marks.empty);
    else if (value === 0) this.step(marks.zero);
    else if (value === false) this.step(marks.false);
  }

  private list(shape: ListShape | undefined, list: readonly unknown[]): void {
    if (shape === undefined || shape.kind === 'atomic') this.step(shape ? marks.atomic : marks.other);
    else {
      this.step(marks.list);
      for (const item of list) {
        this.identity(shape, item);
        this.walk(shape.item, item);
      }
      this.step(marks.end);
    }
  }

  // The keys themselves are used instead of the path element, which would have to be built from them.
  private identity(shape: ListShape, item: unknown): void {
    const map = shape.kind === 'map' ? asMap(item) : undefined;
    if (map === undefined) this.step(itemElement(shape, item));
    else for (const key of shape.keys) this.key(shape, map, map[key]);
  }

  private key(shape: ListShape, item: JsonObject, value: unknown): void {
    if (typeof value === 'string') this.step(value);
    else if (typeof value === 'number' && Number.isInteger(value) && value >= 0) this.step(firstNumber + value);
    else {
      this.step(marks.other);
      this.step(itemElement(shape, item));
    }
  }

  private map(shape: MapShape | undefined, map: JsonObject): void {
    if (shape === undefined || shape.isAtomic) this.step(isEmptyMap(map) ? marks.emptyAtomic : marks.atomic);
    else {
      this.step(marks.map);
      for (const name in map) {
        const value = map[name];
        if (value === undefined) continue;
        this.step(name);
        this.walk(shape.declared(name) ?? shape.others ?? deducedShape, value);
      }
      this.step(marks.end);
    }
  }

  private step(token: Token): void {
    let next = this.at.after(token);
    if (next === undefined) {
      next = this.at.grow(token);
      this.size++;
    }
    this.at = next;
  }
}
