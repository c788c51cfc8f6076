import { isJsonObject, setOwn } from '../../base/index.ts';
import { PolicyError } from '../errors.ts';
import { resolveReferences } from './references.ts';
import type { Resolver } from './resolver.ts';
import { compileText, plainText } from './text-template.ts';

/** A JSON document of a policy whose texts and keys may contain variables. */
export interface DocumentTemplate {
  /** True if there is no variable: resolving is then free and always returns the same object. */
  readonly isStatic: boolean;
  /** That object; undefined if there is a variable. */
  readonly staticValue?: unknown;
  /** Throws what the expressions throw. Unchanged parts are shared between results, not copied. */
  resolve(resolver: Resolver): unknown;
}

type Node = (resolver: Resolver) => unknown;

/**
 * Compiles a document. `path` is its position (without the first two levels of the rule, as upstream counts), for `{{@}}`.
 * References `$(…)` point into the document itself and are resolved here.
 */
export function compileDocument(document: unknown, path: readonly string[] = []): DocumentTemplate {
  const resolved = resolveReferences(document);
  const node = compileNode(resolved, path);
  if (!node) {
    const value = unescaped(resolved);
    return { isStatic: true, staticValue: value, resolve: () => value };
  }
  return { isStatic: false, resolve: node };
}

function compileNode(value: unknown, path: readonly string[]): Node | undefined {
  if (typeof value === 'string') return compileText(value, path);
  if (Array.isArray(value)) return compileList(value, path);
  return isJsonObject(value) ? compileMap(value, path) : undefined;
}

function compileList(list: readonly unknown[], path: readonly string[]): Node | undefined {
  const nodes = list.map((item, i) => compileNode(item, [...path, String(i)]));
  if (nodes.every((node) => node === undefined)) return undefined;
  const items = list.map((item, i) => (nodes[i] ? undefined : unescaped(item)));
  return (resolver) =>
    items.map((item, i) => {
      const node = nodes[i];
      return node ? node(resolver) : item;
    });
}

function compileMap(map: Readonly<Record<string, unknown>>, path: readonly string[]): Node | undefined {
  let isDynamic = false;
  const fields = Object.entries(map).map(([key, value]) => {
    const keyNode = compileText(key, path);
    const node = compileNode(value, [...path, key]);
    isDynamic ||= keyNode !== undefined || node !== undefined;
    return { key: plainText(key), keyNode, node, value: node ? undefined : unescaped(value) };
  });
  if (!isDynamic) return undefined;
  return (resolver) => {
    const result: Record<string, unknown> = {};
    for (const { key, keyNode, node, value } of fields) {
      setOwn(result, keyNode ? keyText(keyNode(resolver)) : key, node ? node(resolver) : value);
    }
    return result;
  };
}

function keyText(value: unknown): string {
  if (typeof value !== 'string')
    throw new PolicyError('policy-variable-key', 'expected string after substituting variables in key');
  return value;
}

/** The value itself when there is nothing to unescape. */
function unescaped(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\\{{') ? plainText(value) : value;
  if (Array.isArray(value)) {
    const items = value.map(unescaped);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let changed = false;
  const fields = Object.entries(value).map(([key, field]) => {
    const next = [plainText(key), unescaped(field)] as const;
    changed ||= next[0] !== key || next[1] !== field;
    return next;
  });
  return changed ? Object.fromEntries(fields) : value;
}
