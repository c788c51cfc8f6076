import type { Node } from './ast.ts';
import type { CompileContext, Evaluator } from './compile-context.ts';
import type { Run } from './run.ts';
import { missing } from './scope.ts';
import { isObject } from './values.ts';

interface Step {
  readonly key: string;
  readonly at: number;
  /** The key may be found on values that do not own it as data: `length` of a list, `constructor` of anything. */
  readonly isInherited: boolean;
}

const prototypes = [Object, Array, String, Number, Boolean, BigInt].map((type) => type.prototype as object);

function step(key: string, at: number): Step {
  return { key, at, isInherited: /^\d+$/.test(key) || prototypes.some((prototype) => key in prototype) };
}

/** Only objects have keys: on every other value a field is null, on an object it may be missing. */
function read(value: unknown, { key, at, isInherited }: Step, run: Run): unknown {
  if (value === null || value === undefined) return null;
  if (!isInherited) {
    const found = (value as Record<string, unknown>)[key];
    if (found !== undefined) return found;
  }
  if (!isObject(value)) return null;
  if (isInherited && Object.hasOwn(value, key)) {
    const found = value[key];
    if (found !== undefined) return found;
  }
  run.missedKey = key;
  run.missedAt = at;
  return missing;
}

function readRoot(value: unknown, first: Step, run: Run): unknown {
  if (run.scope === undefined) return read(value, first, run);
  const found = run.scope.get(first.key);
  if (found !== missing && found !== undefined) return found;
  run.missedKey = first.key;
  run.missedAt = first.at;
  return missing;
}

// The hot loop of the whole engine: the common case is inlined, everything else is left to `read`.
function walk(value: unknown, steps: readonly Step[], from: number, run: Run): unknown {
  for (let i = from; i < steps.length; i++) {
    if (value === null || value === missing) return value;
    const next = steps[i] as Step;
    const found = next.isInherited ? undefined : (value as Record<string, unknown>)[next.key];
    value = found === undefined ? read(value, next, run) : found;
  }
  return value;
}

/** The steps of `a.b.c`, or undefined when the node is more than names and dots. */
function stepsOf(node: Node): Step[] | undefined {
  const steps: Step[] = [];
  for (;;) {
    if (node.kind === 'field') {
      steps.push(step(node.name, node.at));
      return steps.reverse();
    }
    if (node.kind !== 'sub' || node.right.kind !== 'field') return undefined;
    steps.push(step(node.right.name, node.right.at));
    node = node.left;
  }
}

export function compileField(name: string, at: number, context: CompileContext): Evaluator {
  const only = step(name, at);
  return context.atRoot ? (value, run) => readRoot(value, only, run) : (value, run) => read(value, only, run);
}

/** One loop for a whole chain of names. */
export function compileChain(node: Node): Evaluator | undefined {
  const steps = stepsOf(node);
  return steps && ((value, run) => walk(value, steps, 0, run));
}

export function compileRootChain(node: Node, context: CompileContext): Evaluator | undefined {
  const steps = context.atRoot ? stepsOf(node) : undefined;
  const first = steps?.[0];
  if (steps === undefined || first === undefined) return undefined;
  return (value, run) => walk(readRoot(value, first, run), steps, 1, run);
}
