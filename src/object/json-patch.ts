import { dequal } from 'dequal';
import { isJsonObject, isStackOverflow, type Json, setOwn } from '../base/index.ts';
import { arrayIndex, checkDepth, JsonDraft, parseIndex, read, tooDeep } from './json-draft.ts';
import { PatchError } from './patch-error.ts';

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** The API server's limit of operations in one patch. */
const maxJsonPatchOperations = 10_000;

/**
 * RFC 6902 with the deviations of the API server, on which clients rely: `replace` of a missing key adds it, `copy` of
 * a missing key adds null, an absent `value` is null, negative indices count from the end of the list, and the part of
 * a pointer before the first slash is ignored. All operations are applied or, with an error, none.
 */
export function applyJsonPatch(document: unknown, operations: unknown): Json {
  if (!Array.isArray(operations)) throw new PatchError('invalid', 'a JSON patch must be a list of operations');
  if (operations.length > maxJsonPatchOperations) {
    throw new PatchError(
      'too-large',
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  }
  const draft = new JsonDraft(document as Json);
  try {
    for (const operation of operations) apply(draft, operation);
    // Only a move or copy within the document can make it deeper unnoticed.
    if (operations.some(({ op }) => op === 'move' || op === 'copy')) checkDepth(draft.root);
  } catch (thrown) {
    throw isStackOverflow(thrown) ? tooDeep() : thrown;
  }
  return draft.root;
}

function apply(draft: JsonDraft, operation: unknown): void {
  if (!isJsonObject(operation)) throw new PatchError('invalid', 'each operation of a JSON patch must be an object');
  const { op } = operation;
  const path = () => pointer(operation['path'], `${op} operation failed to decode path`);
  const from = () => pointer(operation['from'], `${op} operation failed to decode from`);
  const value = operation['value'] ?? null;
  if (op === 'add') add(draft, path(), value, op);
  else if (op === 'remove') remove(draft, path(), op);
  else if (op === 'replace') replace(draft, path(), value);
  else if (op === 'move') add(draft, path(), take(draft, from()), op);
  else if (op === 'copy') add(draft, path(), draft.copy(valueAt(draft, from(), op) ?? null), op);
  else if (op === 'test') test(draft, path(), value);
  else throw new PatchError('inapplicable', `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
}

interface Pointer {
  readonly text: string;
  /** Decoded, without the part before the first slash; empty for the whole document. */
  readonly tokens: readonly string[];
}

function pointer(text: unknown, context: string): Pointer {
  if (typeof text !== 'string') throw new PatchError('inapplicable', `${context}: missing value`);
  const tokens = text
    .split('/')
    .slice(1)
    .map((token) => token.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')));
  return { text, tokens };
}

function add(draft: JsonDraft, path: Pointer, value: Json, op: string): void {
  if (op === 'add') checkDepth(value, path.tokens.length);
  const container = path.tokens.length === 0 ? undefined : draft.writable(path.tokens);
  const key = path.tokens.at(-1)!;
  if (!container) throw missingPath(op, op === 'add' ? `path: "${path.text}"` : `destination path: ${path.text}`);
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  const index = key === '-' ? container.length : parseIndex(key);
  const context = op === 'copy' ? 'error while adding value during copy' : `error in ${op} for path: '${path.text}'`;
  if (index === undefined) throw notAnIndex(`${context}: value was not a proper array index: '${key}'`, key);
  if (index > container.length || index < -container.length - 1) throw outOfRange(context, index);
  container.splice(index < 0 ? index + container.length + 1 : index, 0, value);
}

function remove(draft: JsonDraft, path: Pointer, op: string): void {
  const container = path.tokens.length === 0 ? undefined : draft.writable(path.tokens);
  const key = path.tokens.at(-1)!;
  if (!container) throw missingPath(op, op === 'move' ? `from path: ${path.text}` : `path: "${path.text}"`);
  const context = `error in ${op} for path: '${op === 'move' ? key : path.text}'`;
  if (Array.isArray(container)) {
    container.splice(existingIndex(container, key, context), 1);
  } else {
    if (!Object.hasOwn(container, key)) {
      throw new PatchError('inapplicable', `${context}: Unable to remove nonexistent key: ${key}: missing value`);
    }
    delete container[key];
  }
}

function replace(draft: JsonDraft, path: Pointer, value: Json): void {
  checkDepth(value, path.tokens.length);
  if (path.text === '') {
    if (typeof value !== 'object' || value === null) {
      throw new PatchError('inapplicable', 'replace operation value must be object or array');
    }
    draft.root = value;
    return;
  }
  const container = path.tokens.length === 0 ? undefined : draft.writable(path.tokens);
  const key = path.tokens.at(-1)!;
  if (!container) throw missingPath('replace', `path: ${path.text}`);
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  const index = arrayIndex(container, key);
  if (index === undefined) throw missingPath('replace', `key: ${path.text}`);
  container[index] = value;
}

function take(draft: JsonDraft, from: Pointer): Json {
  const value = valueAt(draft, from, 'move') ?? null;
  remove(draft, from, 'move');
  return value;
}

/** Undefined when an object has no such key; a list must have the index. */
function valueAt(draft: JsonDraft, from: Pointer, op: 'move' | 'copy'): Json | undefined {
  const container = from.tokens.length === 0 ? undefined : draft.readable(from.tokens);
  if (!container) throw missingPath(op, `from path: ${from.text}`);
  const key = from.tokens.at(-1)!;
  if (!Array.isArray(container)) return read(container, key);
  const context = op === 'copy' ? `error in copy for from: '${from.text}'` : `error in move for path: '${key}'`;
  return container[existingIndex(container, key, context)];
}

function test(draft: JsonDraft, path: Pointer, expected: Json): void {
  let actual: Json | undefined = draft.root;
  if (path.text !== '') {
    const container = path.tokens.length === 0 ? undefined : draft.readable(path.tokens);
    const key = path.tokens.at(-1)!;
    if (!container) {
      throw new PatchError(
        'inapplicable',
        `test operation does not apply: is missing path: ${path.text}: missing value`,
      );
    }
    if (Array.isArray(container)) existingIndex(container, key, `error in test for path: '${path.text}'`);
    actual = read(container, key);
  }
  if (!dequal(actual ?? null, expected)) {
    throw new PatchError('test-failed', `testing value ${path.text} failed: test failed`);
  }
}

function existingIndex(list: readonly Json[], key: string, context: string): number {
  const requested = parseIndex(key);
  if (requested === undefined) throw notAnIndex(context, key);
  const index = arrayIndex(list, key);
  if (index === undefined) throw outOfRange(context, requested);
  return index;
}

function missingPath(op: string, what: string): PatchError {
  return new PatchError('inapplicable', `${op} operation does not apply: doc is missing ${what}: missing value`);
}

function notAnIndex(context: string, key: string): PatchError {
  return new PatchError('inapplicable', `${context}: strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
}

function outOfRange(context: string, index: number): PatchError {
  return new PatchError(
    'inapplicable',
    `${context}: Unable to access invalid index: ${index}: invalid index referenced`,
  );
}
