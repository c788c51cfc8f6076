import type { JsonObject } from '../../base/index.ts';
import { compare, withoutFields } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { FieldTrie, type TrieNode } from './field-trie.ts';
import { type WriteContext, withoutStripped } from './ownership.ts';
import { FieldsError } from './path-element.ts';
import { type Shape, shapeOfKind } from './shape.ts';

interface Known {
  readonly ignored: FieldSet | undefined;
  readonly trie: FieldTrie;
}

/** Of one kind: a hundred templates of large pods. A node weighs some 50 bytes, the set at a last one some kilobytes. */
const maxNodes = 40_000;
const knownOfKind = new WeakMap<Shape, Known>();

/**
 * What the writer of a new object owns. It follows from which fields are set, not from their values, so it is worked
 * out once for all objects that were made from one template; throws FieldsError as `compare` does.
 */
export function createdFields(object: JsonObject, context: WriteContext): FieldSet {
  const node = nodeOf(object, context);
  if (node?.fields !== undefined) return node.fields;
  const { schema, ignored } = context;
  const { added, modified } = withoutFields(compare({}, object, schema), ignored);
  const fields = withoutStripped(modified.union(added));
  if (node !== undefined) node.fields = fields;
  return fields;
}

/** Undefined for an object in which something has no identity. */
function nodeOf(object: JsonObject, { schema, ignored }: WriteContext): TrieNode | undefined {
  const shape = shapeOfKind(schema);
  let known = knownOfKind.get(shape);
  if (known === undefined || known.ignored !== ignored) {
    known = { ignored, trie: new FieldTrie(maxNodes) };
    knownOfKind.set(shape, known);
  }
  try {
    return known.trie.nodeOf(shape, object);
  } catch (thrown) {
    if (thrown instanceof FieldsError) return undefined;
    throw thrown;
  }
}
