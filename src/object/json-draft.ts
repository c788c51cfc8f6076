import { isJsonObject, type Json, maxJsonDepth, setOwn } from '../base/index.ts';
import { PatchError } from './patch-error.ts';

type MutableObject = Record<string, Json | undefined>;
type Container = MutableObject | Json[];

/** The API server's limit for the total size that `copy` operations add. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * A document under change: each object or list is copied once, when first written to, so that a patch costs only what
 * it touches and the original stays unchanged.
 */
export class JsonDraft {
  root: Json;
  private readonly owned = new Set<object>();
  private copiedBytes = 0;

  constructor(root: Json) {
    this.root = root;
  }

  /** The container that holds the last of `tokens`, ready to be written to; undefined when the path does not exist. */
  writable(tokens: readonly string[]): Container | undefined {
    if (!isContainer(this.root)) return undefined;
    let container = this.own(this.root);
    this.root = container;
    for (const token of tokens.slice(0, -1)) {
      const key = Array.isArray(container) ? arrayIndex(container, token) : token;
      const next = read(container, token);
      if (key === undefined || !isContainer(next)) return undefined;
      const copy = this.own(next);
      (container as MutableObject)[key] = copy;
      container = copy;
    }
    return container;
  }

  readable(tokens: readonly string[]): Container | undefined {
    let value: Json | undefined = this.root;
    for (const token of tokens.slice(0, -1)) {
      if (!isContainer(value)) return undefined;
      value = read(value, token);
    }
    return isContainer(value) ? value : undefined;
  }

  /** A copy that shares nothing with the document; the sum of all copies is bounded. */
  copy(value: Json, depth = 0): Json {
    if (depth > maxJsonDepth) throw tooDeep();
    this.copiedBytes += sizeOf(value);
    if (this.copiedBytes > maxCopiedBytes) {
      throw new PatchError(
        'too-large',
        `Unable to complete the copy, the accumulated size increase of copy is ${this.copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
      );
    }
    if (Array.isArray(value)) return value.map((item) => this.copy(item, depth + 1));
    if (!isJsonObject(value)) return value;
    const result: MutableObject = {};
    for (const [key, item] of Object.entries(value)) {
      this.copiedBytes += key.length + 4;
      if (item !== undefined) setOwn(result, key, this.copy(item, depth + 1));
    }
    return result;
  }

  private own(container: Container): Container {
    if (this.owned.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.owned.add(copy);
    return copy;
  }
}

/** The value under a key or index; undefined when there is none. */
export function read(container: Container, token: string): Json | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, token) ? container[token] : undefined;
  const index = arrayIndex(container, token);
  return index === undefined ? undefined : container[index];
}

/** An index in the list; negative ones count from its end, as in the API server. */
export function arrayIndex(list: readonly Json[], token: string): number | undefined {
  const index = parseIndex(token);
  if (index === undefined || index >= list.length || index < -list.length) return undefined;
  return index < 0 ? index + list.length : index;
}

export function parseIndex(token: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(token) ? Number(token) : undefined;
}

/** Operations that move a value can nest it deeper; the result must be safe to walk. */
export function checkDepth(value: Json | undefined, depth = 0): void {
  // Level by level and not recursive: too deep a value must be rejected before a stack overflows.
  let level: unknown[] = [value];
  for (let at = depth; level.length > 0; at++) {
    if (at > maxJsonDepth) throw tooDeep();
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
}

export function tooDeep(): PatchError {
  return new PatchError('too-large', `the patched document is nested more than ${maxJsonDepth} levels deep`);
}

function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 3;
  if (value === null || typeof value === 'boolean') return 5;
  return typeof value === 'object' ? 3 : String(value).length + 1;
}
