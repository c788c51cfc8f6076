import { childrenOf, type Node, type SliceBounds } from './ast.ts';
import { type CompileContext, type Evaluator, orNull } from './compile-context.ts';
import { JmespathError } from './errors.ts';
import type { Run } from './run.ts';
import { missing } from './scope.ts';
import { isFalse, isObject } from './values.ts';

type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;

export function compileIndex(node: NodeOf<'index'>, context: CompileContext): Evaluator {
  const left = context.compileNode(node.left, context);
  const { index } = node;
  return (value, run) => {
    const list = left(value, run);
    if (!Array.isArray(list)) return list === missing ? missing : null;
    return list[index < 0 ? list.length + index : index] ?? null;
  };
}

export function compileSlice(node: NodeOf<'slice'>, context: CompileContext): Evaluator {
  const left = context.compileNode(node.left, context);
  const { bounds, at } = node;
  const ofText = context.dialect === 'community';
  return (value, run) => {
    const list = left(value, run);
    if (ofText && typeof list === 'string') return sliceText(list, bounds, run);
    if (!Array.isArray(list)) return list === missing ? missing : null;
    if (bounds.step === 0) throw run.error('jmespath-invalid-value', 'the step of a slice cannot be 0', at);
    return slice(list, bounds, run);
  };
}

function slice(list: readonly unknown[], bounds: SliceBounds, run: Run): unknown[] {
  const step = bounds.step ?? 1;
  const clamp = (bound: number): number => {
    const index = bound < 0 ? bound + list.length : bound;
    if (step < 0) return Math.min(Math.max(index, -1), list.length - 1);
    return Math.min(Math.max(index, 0), list.length);
  };
  const start = bounds.start === undefined ? (step < 0 ? list.length - 1 : 0) : clamp(bounds.start);
  const stop = bounds.stop === undefined ? (step < 0 ? -1 : list.length) : clamp(bounds.stop);
  const result: unknown[] = [];
  for (let i = start; step < 0 ? i > stop : i < stop; i += step) result.push(list[i]);
  run.charge(result.length);
  return result;
}

/** By characters, not by UTF-16 units. */
function sliceText(text: string, bounds: SliceBounds, run: Run): string | null {
  run.chargeText(text.length);
  return bounds.step === 0 ? null : slice([...text], bounds, run).join('');
}

/** Applies `right` to each element; what comes out null is left out. Text has no elements, but may have been sliced. */
export function compileProjection(node: NodeOf<'projection'>, context: CompileContext): Evaluator {
  const left = context.compileNode(node.left, context);
  const right = context.compileNode(node.right, { ...context, atRoot: false });
  const isSlice = context.dialect === 'community' && node.left.kind === 'slice';
  return (value, run) => {
    const list = left(value, run);
    if (isSlice && typeof list === 'string') return list;
    return Array.isArray(list) ? project(list, right, run) : null;
  };
}

function project(list: readonly unknown[], right: Evaluator, run: Run): unknown[] {
  run.charge(list.length);
  const result: unknown[] = [];
  for (let i = 0; i < list.length; i++) {
    const found = right(list[i], run);
    if (found !== null && found !== missing) result.push(found);
  }
  return result;
}

export function compileValues(node: NodeOf<'values'>, context: CompileContext): Evaluator {
  const left = forgiving(node.left, context);
  const right = context.compileNode(node.right, { ...context, atRoot: false });
  return (value, run) => {
    const object = left(value, run);
    return isObject(object) ? project(Object.values(object), right, run) : null;
  };
}

export function compileFilter(node: NodeOf<'filter'>, context: CompileContext): Evaluator {
  const left = forgiving(node.left, context);
  const inside = { ...context, atRoot: false };
  const condition = context.compileNode(node.condition, inside);
  const right = node.right.kind === 'current' ? undefined : context.compileNode(node.right, inside);
  return (value, run) => {
    const list = left(value, run);
    if (!Array.isArray(list)) return null;
    run.charge(list.length);
    const result: unknown[] = [];
    for (let i = 0; i < list.length; i++) {
      if (isFalse(orNull(condition(list[i], run)))) continue;
      const found = right === undefined ? list[i] : right(list[i], run);
      if (found !== null && found !== missing) result.push(found);
    }
    return result;
  };
}

export function compileFlatten(node: NodeOf<'flatten'>, context: CompileContext): Evaluator {
  const left = forgiving(node.left, context);
  return (value, run) => {
    const list = left(value, run);
    if (!Array.isArray(list)) return null;
    const result: unknown[] = [];
    for (const item of list) {
      if (!Array.isArray(item)) result.push(item);
      else for (const inner of item) result.push(inner);
    }
    run.charge(result.length);
    return result;
  };
}

/**
 * In Kyverno the left side of a filter, a flatten and an object wildcard swallows every error, not only an unknown
 * key: `split(@, ',')[?x]` on null is null. A budget that ran out, or a world that is not there, still surfaces.
 */
function forgiving(node: Node, context: CompileContext): Evaluator {
  const evaluator = context.compileNode(node, context);
  if (!canFail(node)) return evaluator;
  return (value, run) => {
    try {
      return evaluator(value, run);
    } catch (thrown) {
      if (thrown instanceof JmespathError && !unforgivable.has(thrown.code)) return null;
      throw thrown;
    }
  };
}

const unforgivable: ReadonlySet<string> = new Set(['jmespath-limit', 'jmespath-not-available']);

const failing: ReadonlySet<Node['kind']> = new Set<Node['kind']>(['call', 'slice', 'variable', 'arithmetic']);

function canFail(node: Node): boolean {
  return failing.has(node.kind) || childrenOf(node).some(canFail);
}
