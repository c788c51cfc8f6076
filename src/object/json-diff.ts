import type { Json } from '../base/index.ts';
import { deepEqual } from './equality.ts';
import type { JsonPatchOperation } from './json-patch.ts';

/** Longer list middles are compared by position: the shortest script costs the product of their lengths. */
const maxAligned = 64;

/**
 * The operations (add, remove, replace) that turn `before` into `after`, without touching equal parts. Shared parts are
 * recognised without a walk. An undefined field counts as absent.
 */
export function diffJson(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diffValue(before, after, '', operations);
  return operations;
}

type Fields = Readonly<Record<string, unknown>>;

function diffValue(before: unknown, after: unknown, path: string, out: JsonPatchOperation[]): void {
  if (before === after) return;
  if (isFields(before) && isFields(after)) diffFields(before, after, path, out);
  else if (Array.isArray(before) && Array.isArray(after)) diffList(before, after, path, out);
  else if (!deepEqual(before, after)) out.push({ op: 'replace', path, value: after as Json });
}

function diffFields(before: Fields, after: Fields, path: string, out: JsonPatchOperation[]): void {
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && fieldOf(after, key) === undefined)
      out.push({ op: 'remove', path: `${path}/${escaped(key)}` });
  }
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = fieldOf(before, key);
    const inside = `${path}/${escaped(key)}`;
    if (old === undefined) out.push({ op: 'add', path: inside, value: value as Json });
    else diffValue(old, value, inside, out);
  }
}

function diffList(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  out: JsonPatchOperation[],
): void {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && deepEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && deepEqual(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  // With equal lengths, elements were most likely changed in place.
  const script =
    removed.length === added.length || removed.length > maxAligned || added.length > maxAligned
      ? placeByPlace(removed.length, added.length)
      : align(removed, added);
  let at = start;
  for (const { from, to } of script) {
    if (from !== undefined && to !== undefined) diffValue(removed[from], added[to], `${path}/${at++}`, out);
    else if (to !== undefined) out.push({ op: 'add', path: `${path}/${at++}`, value: added[to] as Json });
    else out.push({ op: 'remove', path: `${path}/${at}` });
  }
}

/** One element that stays or changes (both), is added (`to`) or removed (`from`). */
interface Move {
  readonly from?: number;
  readonly to?: number;
}

function placeByPlace(removed: number, added: number): Move[] {
  return Array.from({ length: Math.max(removed, added) }, (_, i) => ({
    ...(i < removed ? { from: i } : {}),
    ...(i < added ? { to: i } : {}),
  }));
}

/** The longest common subsequence determines which elements stay. */
function align(removed: readonly unknown[], added: readonly unknown[]): Move[] {
  const width = added.length + 1;
  const longest = new Uint8Array((removed.length + 1) * width);
  const equal = removed.map((a) => added.map((b) => deepEqual(a, b)));
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      longest[i * width + j] = equal[i]![j]
        ? longest[(i + 1) * width + j + 1]! + 1
        : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const moves: Move[] = [];
  let i = 0;
  let j = 0;
  while (i < removed.length || j < added.length) {
    if (i < removed.length && j < added.length && equal[i]![j]) moves.push({ from: i++, to: j++ });
    else if (j >= added.length || (i < removed.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!))
      moves.push({ from: i++ });
    else moves.push({ to: j++ });
  }
  return moves;
}

function fieldOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escaped(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}
