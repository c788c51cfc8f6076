import { renderJson } from '../base/index.ts';
import { type CallNode, type ComprehensionNode, childrenOf, type Node, operators } from './ast.ts';
import { check } from './checker/checker.ts';
import { compileNode, slotReader, termsOf } from './compile/compile.ts';
import { Frame } from './compile/frame.ts';
import type { Context } from './compile/plan.ts';
import type { Environment } from './environment.ts';
import { CelCostError } from './errors.ts';
import { parse, type Ranges } from './parser.ts';
import { Source } from './source.ts';
import type { CelType } from './types.ts';
import { startEffort } from './values/effort.ts';
import { documentSize, toJson } from './values/json.ts';
import { findKey, isMap, mapKeys } from './values/map.ts';
import { CelError, CelOptional, CelUnknown, none, typeNameOf } from './values/values.ts';

/** A part of an expression as written, with its value on the inputs, and the parts in it. */
export interface CelStep {
  readonly expression: string;
  /** Of an element in a loop: its index or key. */
  readonly at?: unknown;
  /** As JSON. */
  readonly value?: unknown;
  /** Instead of a long value: how it begins. */
  readonly start?: string;
  readonly error?: string;
  readonly steps?: readonly CelStep[];
}

export interface Explained {
  readonly steps: readonly CelStep[];
  readonly cost: number;
}

const maxSteps = 50;
/** Of a loop that no element decided. */
const maxElements = 10;
const maxLength = 1_000;
const maxDocument = 2_000;

interface Declared {
  readonly environment: Environment;
  readonly variables: ReadonlyMap<string, CelType>;
}

interface Given {
  readonly inputs: readonly unknown[];
  readonly costLimit: number;
}

/** The parts of an expression that compiles. Only what decides is shown: parts that are not evaluated are not. */
export function explain(expression: string, { environment, variables }: Declared, given: Given): Explained {
  const source = new Source(expression);
  const ranges: Ranges = new Map();
  const root = parse(source, environment.macros, ranges);
  const scope: Context = {
    checked: check(root, source, environment, variables),
    environment,
    inputs: new Map([...variables.keys()].map((name, i) => [name, i])),
    locals: new Map(),
    reads: new Set(),
    depth: 0,
    reserve: () => undefined,
  };
  const frame = new Frame(given.inputs, [], given.costLimit);
  startEffort();
  const steps = new Explanation(expression, ranges, frame).inside(root, scope);
  // An evaluation that asked for the value of a variable goes on.
  startEffort();
  return { steps, cost: frame.cost };
}

/** A part that was not evaluated: the limit is reached. */
const unevaluated = Symbol('unevaluated');

class Explanation {
  private left = maxSteps;

  constructor(
    private readonly text: string,
    private readonly ranges: Ranges,
    private readonly frame: Frame,
  ) {}

  /** The parts in a node, those that decide its value. */
  inside(node: Node, scope: Context): readonly CelStep[] {
    switch (node.kind) {
      case 'select':
        return this.path(node.operand, scope);
      case 'call':
        return this.insideCall(node, scope);
      case 'comprehension':
        return this.insideLoop(node, scope);
      default:
        return childrenOf(node).flatMap((child) => this.steps(child, scope));
    }
  }

  private insideCall(node: CallNode, scope: Context): readonly CelStep[] {
    const { name, args, target } = node;
    const [first, second, third] = args;
    if (name === operators.and || name === operators.or) return this.terms(node, scope);
    if (name === operators.conditional && first && second && third) {
      const value = this.evaluate(first, scope);
      const branch = value === true ? second : value === false ? third : undefined;
      return [...this.steps(first, scope, value), ...(branch ? this.steps(branch, scope) : [])];
    }
    if (isIndex(node)) return this.path(node, scope);
    const isQualified = scope.checked.calls.get(node.id)?.isQualified;
    if (!target || isQualified) return args.flatMap((arg) => this.steps(arg, scope));
    const value = this.evaluate(target, scope);
    const isKnown = (name === 'or' || name === 'orValue') && value instanceof CelOptional && value !== none;
    return [...this.steps(target, scope, value), ...(isKnown ? [] : args.flatMap((arg) => this.steps(arg, scope)))];
  }

  /** Up to the term that decides. */
  private terms(node: CallNode, scope: Context): readonly CelStep[] {
    const steps: CelStep[] = [];
    for (const term of termsOf(node)) {
      const value = this.evaluate(term, scope);
      steps.push(...this.steps(term, scope, value));
      if (value === (node.name === operators.or)) break;
    }
    return steps;
  }

  /** What a path starts with, and its indices: the objects on the way are not shown. */
  private path(node: Node, scope: Context): readonly CelStep[] {
    if (node.kind === 'select') return this.path(node.operand, scope);
    const [base, index] = node.kind === 'call' && isIndex(node) ? node.args : [];
    if (base && index) return [...this.path(base, scope), ...this.steps(index, scope)];
    return this.steps(node, scope);
  }

  private insideLoop(node: ComprehensionNode, scope: Context): readonly CelStep[] {
    const { form, range, init, result, accumulator } = node;
    const { depth } = scope;
    if (form.kind === 'bind') {
      const value = this.evaluate(init, scope);
      if (value === unevaluated) return [];
      const steps = this.steps(init, scope, value);
      this.frame.slots[depth] = value;
      const locals = new Map(scope.locals).set(accumulator, slotReader(depth));
      return [...steps, ...this.steps(result, { ...scope, locals, depth: depth + 1 })];
    }
    const values = this.evaluate(range, scope);
    const steps = this.steps(range, scope, values);
    if (form.kind !== 'all' && form.kind !== 'exists') return steps;
    return [...steps, ...this.elements(node, form.predicate, values, scope)];
  }

  /** The element that decides with what decides in it; else every one. */
  private elements(node: ComprehensionNode, predicate: Node, values: unknown, scope: Context): readonly CelStep[] {
    const { variable, variable2, form } = node;
    const { depth } = scope;
    const locals = new Map(scope.locals).set(variable, slotReader(depth));
    if (variable2 !== undefined) locals.set(variable2, slotReader(depth + 1));
    const inner: Context = { ...scope, locals, depth: depth + 2 };
    const found: CelStep[] = [];
    for (const [key, element] of entriesOf(values)) {
      const { slots } = this.frame;
      slots[depth] = Array.isArray(values) && variable2 === undefined ? element : key;
      slots[depth + 1] = element;
      const value = this.evaluate(predicate, inner);
      if (value === unevaluated || value instanceof CelUnknown) break;
      const step = { expression: this.written(predicate), at: toJson(key), ...shown(value) };
      if (value === (form.kind === 'exists')) {
        this.left--;
        const itself = variable2 === undefined && !Array.isArray(values) ? [] : [[variable2 ?? variable, element]];
        const steps = itself.map(([name, of]) => ({ expression: String(name), ...shown(of) }));
        return [{ ...step, steps: [...steps, ...this.inside(predicate, inner)] }];
      }
      if (found.length < maxElements) found.push(step);
    }
    const kept = found.slice(0, Math.max(this.left, 0));
    this.left -= kept.length;
    return kept;
  }

  /** A node with the parts in it; those alone, if the node has nothing to tell. */
  private steps(node: Node, scope: Context, known?: unknown): readonly CelStep[] {
    if (this.left <= 0 || node.kind === 'ident' || scope.checked.references.has(node.id) || isConstant(node)) return [];
    if (!this.ranges.has(node.id)) return this.inside(node, scope);
    const value = known === undefined ? this.evaluate(node, scope) : known;
    if (value === unevaluated || value instanceof CelUnknown) return [];
    this.left--;
    const steps = this.inside(node, scope);
    return [{ expression: this.written(node), ...shown(value), ...(steps.length > 0 ? { steps } : {}) }];
  }

  private evaluate(node: Node, scope: Context): unknown {
    if (this.left <= 0) return unevaluated;
    try {
      // Compiling takes time, too.
      this.frame.charge(this.written(node).length);
      return compileNode(node, scope).eval(this.frame);
    } catch (thrown) {
      if (!(thrown instanceof CelCostError || thrown instanceof RangeError)) throw thrown;
      this.left = 0;
      return unevaluated;
    }
  }

  private written({ id }: Node): string {
    const range = this.ranges.get(id);
    return range ? this.text.slice(range.start, range.end) : '';
  }
}

const indices: ReadonlySet<string> = new Set([operators.index, operators.optIndex, operators.optSelect]);
const isIndex = ({ name }: CallNode) => indices.has(name);

function isConstant(node: Node): boolean {
  if (node.kind === 'literal') return true;
  if (node.kind === 'ident' || node.kind === 'select' || node.kind === 'comprehension') return false;
  const children = childrenOf(node);
  return (node.kind !== 'call' || children.length > 0) && children.every(isConstant);
}

function* entriesOf(values: unknown): Generator<readonly [key: unknown, value: unknown]> {
  if (Array.isArray(values)) yield* values.entries();
  else if (isMap(values)) for (const key of mapKeys(values)) yield [key, findKey(values, key)];
}

function shown(value: unknown): Pick<CelStep, 'value' | 'start' | 'error'> {
  if (value instanceof CelError) return { error: cut(value.message) };
  if (documentSize(value, maxDocument) > maxDocument) return { start: `a long ${typeNameOf(value)}` };
  const json = toJson(value);
  const text = renderJson(json);
  return text.length > maxLength ? { start: cut(text) } : { value: json };
}

const cut = (text: string) => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
