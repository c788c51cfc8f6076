import { check } from './checker/checker.ts';
import { validateLiterals } from './checker/literals.ts';
import { compileNode } from './compile/compile.ts';
import { Frame } from './compile/frame.ts';
import type { Environment } from './environment.ts';
import { CelCompileError, CelCostError } from './errors.ts';
import { type Explained, explain } from './explain.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { callCostLimit } from './limits.ts';
import { parse } from './parser.ts';
import { Source } from './source.ts';
import type { CelType } from './types.ts';
import { startEffort } from './values/effort.ts';
import { CelError } from './values/values.ts';

/** Variables of an expression by name, with their types, in the order of the inputs of an evaluation. */
export type Variables = ReadonlyMap<string, CelType>;

interface CompileOptions {
  readonly environment?: Environment;
  readonly variables?: Variables;
}

/** The value of an expression, or an error or unknown in its place, and what it cost. */
export interface Evaluated {
  readonly value: unknown;
  readonly cost: number;
}

/** A compiled expression: immutable, without state, to be evaluated any number of times. */
export interface Program {
  readonly expression: string;
  readonly type: CelType;
  /** The places of the variables that it reads, among the inputs: the others need no value. */
  readonly reads: readonly number[];
  /** `inputs` are the values of the variables in their order; undefined for one that has none. Never throws. */
  evaluate(inputs: readonly unknown[], costLimit?: number): Evaluated;
  /** What its parts are worth on the same inputs, each evaluated once more. Never throws. */
  explain(inputs: readonly unknown[], costLimit: number): Explained;
}

/** Parses, checks and compiles an expression; throws CelCompileError for anything that is wrong with it. */
export function compile(expression: string, options: CompileOptions = {}): Program {
  const { environment = kubernetesEnvironment, variables = new Map() } = options;
  const source = new Source(expression);
  try {
    const root = parse(source, environment.macros);
    const checked = check(root, source, environment, variables);
    if (environment.validatesLiterals) validateLiterals(checked, source);
    if (source.hasIssues) throw source.error('cel-type');
    let slots = 0;
    const reads = new Set<number>();
    const plan = compileNode(root, {
      checked,
      environment,
      inputs: new Map([...variables.keys()].map((name, i) => [name, i])),
      locals: new Map(),
      reads,
      depth: 0,
      reserve: (count) => {
        slots = Math.max(slots, count);
      },
    });
    return new CompiledProgram(expression, checked.type, [...reads], plan.eval, slots, { environment, variables });
  } catch (thrown) {
    if (thrown instanceof CelCompileError) throw thrown;
    // The limits keep every walk over the tree within the stack; this is for what they miss.
    if (thrown instanceof RangeError) throw new CelCompileError('cel-syntax', 'max recursion depth exceeded', []);
    throw thrown;
  }
}

class CompiledProgram implements Program {
  constructor(
    readonly expression: string,
    readonly type: CelType,
    readonly reads: readonly number[],
    private readonly evaluator: (frame: Frame) => unknown,
    private readonly slots: number,
    private readonly declared: Required<CompileOptions>,
  ) {}

  evaluate(inputs: readonly unknown[], costLimit = callCostLimit): Evaluated {
    const frame = new Frame(inputs, this.slots === 0 ? noSlots : new Array<unknown>(this.slots), costLimit);
    startEffort();
    try {
      const value = this.evaluator(frame);
      frame.charge(0);
      return { value, cost: frame.cost };
    } catch (thrown) {
      if (thrown instanceof CelCostError) return { value: new CelError(thrown.message), cost: frame.cost };
      if (thrown instanceof RangeError)
        return { value: new CelError('the value is nested too deeply'), cost: frame.cost };
      throw thrown;
    }
  }

  explain(inputs: readonly unknown[], costLimit: number): Explained {
    try {
      return explain(this.expression, this.declared, { inputs, costLimit });
    } catch (thrown) {
      if (thrown instanceof RangeError) return { steps: [], cost: costLimit };
      throw thrown;
    }
  }
}

const noSlots: unknown[] = [];
