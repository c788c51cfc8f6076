import type { CallNode, ComprehensionNode, Node } from '../ast.ts';
import { operators } from '../ast.ts';
import { type Checked, check } from '../checker/checker.ts';
import { kubernetesEnvironment } from '../kubernetes.ts';
import { parse } from '../parser.ts';
import type { Variables } from '../program.ts';
import { Source } from '../source.ts';
import type { CelType } from '../types.ts';
import { sizeOf as sizeOfValue } from '../values/size.ts';
import { type CallEstimate, libraryEstimate, type Operand, standardEstimate } from './call-cost.ts';
import { add, exactly, multiply, nothing, one, type Range, union, unknown } from './range.ts';

/** The way from a variable to a part of it: names of fields, `@items`, `@keys` and `@values`. */
type ValuePath = readonly string[];

/** The most elements or characters that a part of a variable has; undefined where nobody knows. */
type SizeLookup = (path: ValuePath) => number | undefined;

/** The most that an expression, which compiles, can cost. Whether it is accepted may depend on it. */
export function estimateCost(expression: string, variables: Variables, sizes: SizeLookup): number {
  const source = new Source(expression);
  const root = parse(source, kubernetesEnvironment.macros);
  return new Estimator(check(root, source, kubernetesEnvironment, variables), sizes).cost(root).max;
}

/** Sizes of what is in a list or a map. */
interface Entries {
  readonly isMap: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: ValuePath;
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

class Estimator {
  private readonly paths = new Map<Node, ValuePath>();
  private readonly sizes = new Map<Node, Range>();
  private readonly entries = new Map<Node, Entries>();
  private readonly locals = new Map<string, Local[]>();

  constructor(
    private readonly checked: Checked,
    private readonly lookup: SizeLookup,
  ) {}

  cost(node: Node): Range {
    switch (node.kind) {
      case 'literal':
        return nothing;
      case 'ident':
        this.paths.set(node, this.local(node.name)?.path ?? [node.name]);
        return one;
      case 'select': {
        const cost = this.cost(node.operand);
        if (node.isTest) return cost;
        this.paths.set(node, [...this.pathOf(node.operand), node.field]);
        const { kind } = this.checked.typeOf(node.operand);
        return kind === 'map' || kind === 'struct' || kind === 'param' ? add(cost, one) : cost;
      }
      case 'call':
        return this.costOfCall(node);
      case 'list': {
        const cost = sum(node.items.map(({ value }) => this.cost(value)));
        const value = this.unionOf(node.items.map((item) => item.value));
        this.entries.set(node, { isMap: false, key: one, value });
        return add(cost, exactly(10));
      }
      case 'map': {
        const cost = sum(node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]));
        const key = this.unionOf(node.entries.map((entry) => entry.key));
        const value = this.unionOf(node.entries.map((entry) => entry.value));
        this.entries.set(node, { isMap: true, key, value });
        return add(cost, exactly(30));
      }
      case 'struct':
        return add(sum(node.fields.map(({ value }) => this.cost(value))), exactly(40));
      case 'comprehension':
        return node.form.kind === 'bind' ? this.costOfBind(node) : this.costOfLoop(node);
    }
  }

  private costOfCall(node: CallNode): Range {
    const { args } = node;
    const resolved = this.checked.calls.get(node.id);
    const name = resolved?.declaration.name ?? node.name;
    const [only] = args;
    if (name === 'dyn' && only) {
      const cost = add(this.cost(only), one);
      this.copySizes(node, only);
      return cost;
    }
    const costs = args.map((arg) => this.cost(arg));
    const operands = args.map((arg) => this.operand(arg));
    const targetNode = resolved?.isQualified ? undefined : node.target;
    const targetCost = targetNode ? this.cost(targetNode) : nothing;
    const target = targetNode && this.operand(targetNode);
    const overloads = resolved?.overloads.map(({ id }) => id) ?? [node.name];
    let cost: Range | undefined;
    let resultSize: Range | undefined;
    for (const overload of overloads) {
      const estimate = this.costOfForm(node, name, { target, args: operands, overload }, costs);
      cost = cost ? union(cost, estimate.cost) : estimate.cost;
      if (estimate.resultSize) resultSize = resultSize ? union(resultSize, estimate.resultSize) : estimate.resultSize;
      const step = overload === 'index_list' ? '@items' : overload === 'index_map' ? '@values' : undefined;
      if (step !== undefined && only) {
        resultSize = this.entriesOf(only)?.value;
        this.paths.set(node, [...this.pathOf(only), step]);
      }
      resultSize ??= this.sizeOf(node);
    }
    if (resultSize) this.sizes.set(node, resultSize);
    return add(targetCost, cost ?? nothing);
  }

  private costOfForm(
    node: CallNode,
    name: string,
    call: { readonly target: Operand | undefined; readonly args: readonly Operand[]; readonly overload: string },
    costs: readonly Range[],
  ): CallEstimate {
    const known = libraryEstimate(name, call) ?? standardEstimate(call);
    if (call.overload.startsWith('add_')) this.mergeEntries(node, node.args[0], node.args[1]);
    if (known) return { ...known, cost: add(known.cost, sum(costs)) };
    const [first = nothing, second = nothing, third = nothing] = costs;
    if (name === operators.and || name === operators.or) {
      return { cost: { min: first.min, max: add(first, second).max } };
    }
    if (name !== operators.conditional) return { cost: add(one, sum(costs)) };
    this.mergeEntries(node, node.args[1], node.args[2]);
    const sizes = call.args.slice(1).map(({ size }) => size ?? unknown);
    return { cost: add(first, union(second, third)), resultSize: union(sizes[0] ?? unknown, sizes[1] ?? unknown) };
  }

  private mergeEntries(node: Node, a: Node | undefined, b: Node | undefined): void {
    const left = a && this.entriesOf(a);
    const right = b && this.entriesOf(b);
    if (!left || !right) return;
    const key = union(left.key, right.key);
    this.entries.set(node, { isMap: left.isMap, key, value: union(left.value, right.value) });
  }

  private costOfLoop(node: ComprehensionNode): Range {
    const before = add(this.cost(node.range), this.cost(node.init));
    this.enter(node.accumulator, this.asLocal(node.init));
    const entries = this.entriesOf(node.range);
    const isList = entries ? !entries.isMap : this.checked.typeOf(node.range).kind === 'list';
    const path = this.pathOf(node.range);
    const key: Local = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key, entries: undefined };
    const value: Local = { path: [...path, isList ? '@items' : '@values'], size: entries?.value, entries: undefined };
    if (node.variable2 === undefined) this.enter(node.variable, isList ? value : key);
    else {
      this.enter(node.variable, key);
      this.enter(node.variable2, value);
    }
    const each = add(this.cost(node.condition), this.cost(node.step));
    this.leave(node.variable);
    if (node.variable2 !== undefined) this.leave(node.variable2);
    const result = this.cost(node.result);
    this.leave(node.accumulator);
    const count = this.sizeOf(node.range) ?? unknown;
    this.setLoopSize(node, count);
    return add(add(before, result), multiply(count, each));
  }

  private setLoopSize(node: ComprehensionNode, count: Range): void {
    const { kind } = node.init;
    if (kind === 'literal') {
      const size = this.sizeOf(node.init);
      if (size) this.sizes.set(node, size);
    } else if (kind === 'list' || kind === 'map') {
      this.sizes.set(node, count);
      const entries = this.entriesOf(node.step);
      if (entries) this.entries.set(node, entries);
    }
  }

  private costOfBind(node: ComprehensionNode): Range {
    const before = add(this.cost(node.range), this.cost(node.init));
    this.enter(node.accumulator, this.asLocal(node.init));
    const cost = add(before, this.cost(node.result));
    this.copySizes(node, node.result);
    this.leave(node.accumulator);
    return cost;
  }

  private asLocal(node: Node): Local {
    return { path: this.pathOf(node), size: this.sizeOf(node), entries: this.entriesOf(node) };
  }

  private enter(name: string, local: Local): void {
    const known = this.locals.get(name) ?? [];
    known.push(local);
    this.locals.set(name, known);
  }

  private leave(name: string): void {
    this.locals.get(name)?.pop();
  }

  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private pathOf(node: Node): ValuePath {
    const local = node.kind === 'ident' ? this.local(node.name) : undefined;
    return local?.path ?? this.paths.get(node) ?? [];
  }

  private operand(node: Node): Operand {
    const path = this.pathOf(node);
    return {
      type: this.checked.typeOf(node),
      size: this.sizeOf(node),
      elementSize: () => (path.length === 0 ? undefined : this.sizeAt([...path, '@items'])),
      literal: node.kind === 'literal' ? node.value : undefined,
    };
  }

  private sizeOf(node: Node): Range | undefined {
    const known = this.sizes.get(node) ?? literalSize(node);
    if (known) return known;
    const path = this.pathOf(node);
    const found = path.length === 0 ? undefined : this.sizeAt(path);
    if (found) {
      this.sizes.set(node, found);
      return found;
    }
    if (isScalar(this.checked.typeOf(node))) return one;
    return node.kind === 'ident' ? this.local(node.name)?.size : undefined;
  }

  private sizeAt(path: ValuePath): Range | undefined {
    const max = this.lookup(path);
    return max === undefined ? undefined : { min: 0, max };
  }

  private entriesOf(node: Node): Entries | undefined {
    return this.entries.get(node) ?? (node.kind === 'ident' ? this.local(node.name)?.entries : undefined);
  }

  private copySizes(to: Node, from: Node): void {
    const size = this.sizeOf(from);
    const entries = this.entriesOf(from);
    if (size) this.sizes.set(to, size);
    if (entries) this.entries.set(to, entries);
  }

  private unionOf(nodes: readonly Node[]): Range {
    const [first, ...rest] = nodes.map((node) => this.sizeOf(node) ?? unknown);
    return first ? rest.reduce(union, first) : nothing;
  }
}

const sum = (costs: readonly Range[]) => costs.reduce(add, nothing);

function literalSize(node: Node): Range | undefined {
  switch (node.kind) {
    case 'literal':
      return exactly(sizeOfValue(node.value) ?? 1);
    case 'list':
      return exactly(node.items.length);
    case 'map':
      return exactly(node.entries.length);
    default:
      return undefined;
  }
}

const scalars = new Set<CelType['kind']>(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar({ kind, name, params: [inside] }: CelType): boolean {
  return scalars.has(kind) || (name === 'optional_type' && inside !== undefined && isScalar(inside));
}
