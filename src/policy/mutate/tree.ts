import { isJsonObject, maxJsonDepth, setOwn } from '../../base/index.ts';
import { PolicyError } from '../errors.ts';

/**
 * The tree of a document for merges: mutable, with ordered fields and possibly duplicate keys. The merge and the overlay
 * change trees in place, and two positions may share a node intentionally; the source documents never change.
 */
export type Tree = MapTree | ListTree | ScalarTree;

export interface MapTree {
  readonly kind: 'map';
  fields: Field[];
}

interface Field {
  key: string;
  value: Tree;
}

export interface ListTree {
  readonly kind: 'list';
  items: Tree[];
}

interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: Scalar;
  /** A quoted text: a number that replaces it becomes text too. */
  quoted: boolean;
  /** A null of the resource, as opposed to one that requests a deletion. */
  readonly kept?: boolean;
}

type Scalar = string | number | bigint | boolean | null;

/** Far more than any object that an API server accepts; nested anchored lists multiply and reach it quickly. */
const maxNodes = 500_000;

/** Counts the nodes that one merge creates; throws `policy-mutate-too-large` beyond the limit. */
export class TreeBuilder {
  private nodes = 0;

  build(value: unknown, depth = 0): Tree {
    this.count(depth);
    if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => this.build(item, depth + 1)) };
    if (isJsonObject(value)) {
      // Upstream serialises maps with sorted keys first, and the order matters between anchors.
      const keys = Object.keys(value).filter((key) => value[key] !== undefined);
      const fields = keys.sort().map((key) => ({ key, value: this.build(value[key], depth + 1) }));
      return { kind: 'map', fields };
    }
    return scalarOf(value as Scalar);
  }

  copy(tree: Tree, depth = 0): Tree {
    this.count(depth);
    if (tree.kind === 'list') return { kind: 'list', items: tree.items.map((item) => this.copy(item, depth + 1)) };
    if (tree.kind === 'scalar') return { ...tree };
    return { kind: 'map', fields: tree.fields.map(({ key, value }) => ({ key, value: this.copy(value, depth + 1) })) };
  }

  private count(depth: number): void {
    if (depth > maxJsonDepth)
      throw new PolicyError('policy-mutate-too-deep', `nested more than ${maxJsonDepth} levels`);
    if (++this.nodes > maxNodes) {
      throw new PolicyError('policy-mutate-too-large', `the patch grows beyond ${maxNodes} values`);
    }
  }
}

export function scalarOf(value: Scalar): ScalarTree {
  return { kind: 'scalar', value, quoted: typeof value === 'string' };
}

/** The document a tree stands for. A key that is there twice is an error, as it is in YAML. */
export function documentOf(tree: Tree): unknown {
  if (tree.kind === 'list') return tree.items.map(documentOf);
  if (tree.kind === 'scalar') return tree.quoted && tree.value !== null ? String(tree.value) : tree.value;
  const object: Record<string, unknown> = {};
  for (const { key, value } of tree.fields) {
    if (Object.hasOwn(object, key)) {
      throw new PolicyError('policy-mutate-duplicate-key', `mapping key ${JSON.stringify(key)} already defined`);
    }
    setOwn(object, key, documentOf(value));
  }
  return object;
}

/** The text of a scalar; maps and lists have none. */
export const textOf = (tree: Tree): string => (tree.kind === 'scalar' ? String(tree.value) : '');

export const isNull = (tree: Tree): boolean => tree.kind === 'scalar' && tree.value === null;

export const isMissing = (tree: Tree | undefined): tree is undefined => tree === undefined || isNull(tree);

/** Null, an empty map or an empty list; an empty text is not empty. */
export function isEmpty(tree: Tree | undefined): boolean {
  if (isMissing(tree)) return true;
  return (tree.kind === 'map' && tree.fields.length === 0) || (tree.kind === 'list' && tree.items.length === 0);
}

export const isEmptyMap = (tree: Tree | undefined): boolean =>
  isMissing(tree) || (tree.kind === 'map' && tree.fields.length === 0);

/** The first field of that name; nothing for what is not a map. */
export function fieldOf(tree: Tree | undefined, key: string): Tree | undefined {
  if (tree?.kind !== 'map') return undefined;
  return tree.fields.find((field) => field.key === key)?.value;
}

export function removeField(map: MapTree, key: string): void {
  const index = map.fields.findIndex((field) => field.key === key);
  if (index !== -1) map.fields.splice(index, 1);
}

/** Sets, adds, or (for nothing and for a null that was not kept) removes a field. */
export function setField(map: MapTree, key: string, value: Tree | undefined): void {
  if (value === undefined || (value.kind === 'scalar' && value.value === null && !value.kept)) {
    removeField(map, key);
    return;
  }
  const field = map.fields.find((candidate) => candidate.key === key);
  if (!field) {
    map.fields.push({ key, value });
    return;
  }
  if (value.kind === 'scalar' && field.value.kind === 'scalar') value.quoted = field.value.quoted;
  field.value = value;
}

const kindNames = { map: 'MappingNode', list: 'SequenceNode', scalar: 'ScalarNode' } as const;

/** The error of a patch that puts, say, a list where the resource has a map. */
export function wrongKind(expected: Tree['kind'], found: Tree): PolicyError {
  const message = `wrong node kind: expected ${kindNames[expected]} but got ${kindNames[found.kind]}`;
  return new PolicyError('policy-mutate-wrong-kind', message);
}
