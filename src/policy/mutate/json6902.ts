import { isJsonObject, maxJsonDepth, setOwn } from '../../base/index.ts';
import { deepEqual } from '../../object/index.ts';
import { PolicyError } from '../errors.ts';
import { addAt, type Container, containerOf, ensureParents, findParent, getAt, removeAt } from './json-pointer.ts';
import type { Json6902Operation } from './json6902-parse.ts';
import { type MergeOutcome, nothingToDo } from './strategic.ts';
import { isUnchanged } from './unchanged.ts';
import { settleWrittenNulls, writtenNull } from './written-null.ts';

/** Limits growth: a patch that copies the document into itself doubles it with each operation. */
const maxCopiedValues = 500_000;

/**
 * Applies a `patchesJson6902` as leniently as Kyverno: negative indices count from the end, removing a missing value
 * does nothing, and add creates parents. One failed operation fails the patch. The resource is not changed.
 */
export function applyJson6902(operations: readonly Json6902Operation[], resource: unknown): MergeOutcome {
  try {
    const patched = new Document(resource).apply(operations);
    return isUnchanged(resource, patched) ? nothingToDo : { kind: 'patched', resource: patched };
  } catch (thrown) {
    if (!(thrown instanceof PolicyError)) throw thrown;
    return { kind: 'error', message: thrown.message };
  }
}

class Document {
  private root: Container;
  private copied = 0;

  constructor(private readonly original: unknown) {
    this.root = asRoot(this.copy(original));
  }

  apply(operations: readonly Json6902Operation[]): unknown {
    for (const operation of operations) this.run(operation);
    return settleWrittenNulls(this.root);
  }

  private run(operation: Json6902Operation): void {
    switch (operation.op) {
      case 'add':
        this.add(operation.path, operation.value);
        break;
      case 'replace':
        this.replace(operation.path, operation.value);
        break;
      case 'remove':
        this.remove(operation.path);
        break;
      case 'move':
        this.move(operation.from, operation.path);
        break;
      case 'copy':
        this.duplicate(operation.from, operation.path);
        break;
      case 'test':
        this.test(operation.path, operation.value);
        break;
    }
  }

  private add(path: string, value: unknown): void {
    if (path === '') {
      this.root = asRoot(this.copy(value));
      return;
    }
    ensureParents(this.root, path);
    const place = findParent(this.root, path);
    if (!place) throw fault(`add operation does not apply: doc is missing path: "${path}": missing value`);
    wrap(`error in add for path: '${path}'`, () => addAt(place.parent, place.key, this.written(value)));
  }

  private replace(path: string, value: unknown): void {
    if (path === '') {
      this.root = asRoot(this.copy(value));
      return;
    }
    const place = findParent(this.root, path);
    if (!place) throw fault(`replace operation does not apply: doc is missing path: ${path}: missing value`);
    const { parent, key } = place;
    if (!this.lookUp(parent, key).found) {
      throw fault(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    }
    if (Array.isArray(parent)) {
      const index = Number(key);
      parent[index < 0 ? index + parent.length : index] = this.written(value);
    } else parent[key] = this.written(value);
  }

  private remove(path: string): void {
    const place = findParent(this.root, path);
    if (place) wrap(`error in remove for path: '${path}'`, () => removeAt(place.parent, place.key));
  }

  private move(from: string, path: string): void {
    if (from === '') throw fault('unable to move entire document to another path: invalid state detected');
    const source = findParent(this.root, from);
    if (!source) throw fault(`move operation does not apply: doc is missing from path: ${from}: missing value`);
    const value = wrap(`error in move for path: '${source.key}'`, () => {
      const found = getAt(source.parent, source.key, this.original);
      removeAt(source.parent, source.key);
      return found;
    });
    const target = findParent(this.root, path);
    if (!target) throw fault(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
    wrap(`error in move for path: '${path}'`, () => addAt(target.parent, target.key, value));
  }

  private duplicate(from: string, path: string): void {
    const source = findParent(this.root, from);
    if (!source) throw fault(`copy operation does not apply: doc is missing from path: "${from}": missing value`);
    const value = wrap(`error in copy for from: '${from}'`, () => getAt(source.parent, source.key, this.original));
    const target = findParent(this.root, path);
    if (!target) throw fault(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
    wrap('error while adding value during copy', () => addAt(target.parent, target.key, this.written(value)));
  }

  private test(path: string, expected: unknown): void {
    const failed = () => fault(`testing value ${path} failed: test failed`);
    if (path === '') {
      if (!deepEqual(settleWrittenNulls(this.copy(this.root)), expected)) throw failed();
      return;
    }
    const place = findParent(this.root, path);
    if (!place) throw fault(`test operation does not apply: is missing path: ${path}: missing value`);
    const { found, value, message } = this.lookUp(place.parent, place.key);
    // A missing field equals null; a missing element is an error.
    if (!found && Array.isArray(place.parent)) throw fault(`error in test for path: '${path}': ${message}`);
    const isNull = value === undefined || value === null;
    if (isNull && (expected === undefined || expected === null)) return;
    if (isNull || !deepEqual(settleWrittenNulls(this.copy(value)), expected)) throw failed();
  }

  private lookUp(parent: Container, key: string): { found: boolean; value?: unknown; message?: string } {
    try {
      return { found: true, value: getAt(parent, key, this.original) };
    } catch (thrown) {
      if (!(thrown instanceof PolicyError)) throw thrown;
      return { found: false, message: thrown.message };
    }
  }

  private written(value: unknown): unknown {
    return value === null ? writtenNull : this.copy(value);
  }

  private copy(value: unknown, depth = 0): unknown {
    if (depth > maxJsonDepth)
      throw new PolicyError('policy-mutate-too-deep', `nested more than ${maxJsonDepth} levels`);
    if (++this.copied > maxCopiedValues) {
      throw new PolicyError('policy-mutate-too-large', `the patch grows beyond ${maxCopiedValues} values`);
    }
    if (value === writtenNull) return value;
    if (Array.isArray(value)) return value.map((item) => this.copy(item, depth + 1));
    if (!isJsonObject(value)) return value;
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) setOwn(copy, key, this.copy(value[key], depth + 1));
    return copy;
  }
}

function asRoot(value: unknown): Container {
  const root = containerOf(value);
  if (!root) throw fault('the whole document can only be replaced by an object or a list');
  return root;
}

const fault = (message: string): PolicyError => new PolicyError('policy-mutate-json6902', message);

function wrap<T>(attempt: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof PolicyError)) throw thrown;
    throw new PolicyError(thrown.code, `${attempt}: ${thrown.message}`);
  }
}
