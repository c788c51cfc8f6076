import type { JsonObject } from '../../base/index.ts';
import { FieldsError, type Shape, shapeOfKind } from '../../schema/index.ts';
import { compare, withoutFields } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { FieldTrie, type TrieNode } from './field-trie.ts';
import { type WriteContext, withoutStripped } from './ownership.ts';

interface Known {
  readonly ignored: FieldSet | undefined;
  readonly trie: FieldTrie;
}

/**
 * Per kind: about a hundred templates of large pods. A node takes about 50 bytes, the set of a last node some
 * kilobytes.
 */
const maxNodes = 40_000;
const knownOfKind = new WeakMap<Shape, Known>();

/**
 * The fields that the writer of a new object owns. They depend on which fields are set, not on their values, so they
 * are computed once for all objects of one template. Throws FieldsError like `compare`.
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

/** Undefined for an object with a list item without identity. */
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
