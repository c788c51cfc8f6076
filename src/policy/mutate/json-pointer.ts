import { isJsonObject, setOwn } from '../../base/index.ts';
import { PolicyError } from '../errors.ts';
import { writtenNull } from './written-null.ts';

/** A container that a path can traverse; mutable, because a patch works on its own copy. */
export type Container = unknown[] | Record<string, unknown>;

export function containerOf(value: unknown): Container | undefined {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? (value as Record<string, unknown>) : undefined;
}

const unescaped = (part: string): string => part.replace(/~[01]/g, (found) => (found === '~1' ? '/' : '~'));

const integer = /^[+-]?\d+$/;

/** Longer than a list in any request: an index beyond it would fill memory with nulls. */
const maxPadding = 100_000;

/** The container that has the last part of the path as key. Text before the first slash is ignored. */
export function findParent(root: Container, path: string): { parent: Container; key: string } | undefined {
  if (path === '') return { parent: root, key: '' };
  const parts = path.split('/').slice(1);
  if (parts.length === 0) return undefined;
  let parent = root;
  for (const part of parts.slice(0, -1)) {
    const next = containerOf(stepInto(parent, unescaped(part)));
    if (!next) return undefined;
    parent = next;
  }
  return { parent, key: unescaped(parts.at(-1)!) };
}

/** Undefined if the path ends here, also at a null. */
function stepInto(parent: Container, key: string): unknown {
  // Upstream reads an empty part as the whole document, which has no meaning below the root.
  if (key === '') return undefined;
  if (Array.isArray(parent)) {
    const index = indexOf(key, parent.length);
    return index === undefined ? undefined : parent[index];
  }
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

/** The index that a part names, counted from the end if negative; undefined if it is not an index. */
function indexOf(key: string, length: number): number | undefined {
  if (!integer.test(key)) return undefined;
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  return index >= 0 && index < length ? index : undefined;
}

/** Reads a value that must exist; the empty key means the document before the patch. */
export function getAt(parent: Container, key: string, original: unknown): unknown {
  if (key === '') return original;
  if (!Array.isArray(parent)) {
    if (!Object.hasOwn(parent, key)) throw fault(`unable to get nonexistent key: ${key}: missing value`);
    return parent[key];
  }
  const index = indexOf(key, parent.length);
  if (index === undefined) throw integer.test(key) ? invalidIndex(key) : notANumber(key);
  return parent[index];
}

export function addAt(parent: Container, key: string, value: unknown): void {
  if (!Array.isArray(parent)) {
    setOwn(parent, key, value);
    return;
  }
  if (key === '-') {
    parent.push(value);
    return;
  }
  if (!integer.test(key)) throw fault(`value was not a proper array index: '${key}': ${notANumber(key).message}`);
  const index = indexOf(key, parent.length + 1);
  if (index === undefined) throw invalidIndex(key);
  parent.splice(index, 0, value);
}

/** Removing a value that does not exist succeeds. */
export function removeAt(parent: Container, key: string): void {
  if (!Array.isArray(parent)) {
    delete parent[key];
    return;
  }
  if (!integer.test(key)) throw notANumber(key);
  const index = indexOf(key, parent.length);
  if (index !== undefined) parent.splice(index, 1);
}

/**
 * Creates the missing parents of a path: a list before a number or `-`, padded with nulls up to the number, and an
 * object before anything else. A created object gets its key as written in the path, without unescaping.
 */
export function ensureParents(root: Container, path: string): void {
  const parts = path.split('/').slice(1);
  let parent = root;
  for (let i = 0; i < parts.length - 1; i++) {
    const part = parts[i]!;
    const found = stepInto(parent, unescaped(part));
    if (found !== undefined && found !== null) {
      const next = containerOf(found);
      if (!next) throw fault('invalid state detected');
      parent = next;
    } else {
      if (Array.isArray(parent) && integer.test(part)) pad(parent, Number(part));
      const created = createBefore(parts[i + 1]!);
      attach(parent, part, created);
      parent = created;
    }
  }
}

function createBefore(next: string): Container {
  if (next !== '-' && !integer.test(next)) return {};
  const index = next === '-' ? 0 : Number(next);
  if (index < -1)
    throw fault(`Unable to ensure path for negative index other than -1: ${index}: invalid index referenced`);
  const list: unknown[] = [];
  pad(list, index);
  return list;
}

function pad(list: unknown[], length: number): void {
  if (length > maxPadding) throw fault(`Unable to access invalid index: ${length}: invalid index referenced`);
  while (list.length < length) list.push(writtenNull);
}

/** A list that cannot have such a key is not changed, and the operation then fails. */
function attach(parent: Container, key: string, value: Container): void {
  try {
    addAt(parent, key, value);
  } catch (thrown) {
    if (!(thrown instanceof PolicyError)) throw thrown;
  }
}

const fault = (message: string): PolicyError => new PolicyError('policy-mutate-json6902', message);
const invalidIndex = (key: string) => fault(`Unable to access invalid index: ${Number(key)}: invalid index referenced`);
const notANumber = (key: string) => fault(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
