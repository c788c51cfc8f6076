import { CallFailure, LimitReached, TemplateError, type TemplateErrorCode } from './errors.ts';
import { quote } from './format/quote.ts';
import type { Limits } from './limits.ts';
import { type Node, renderNode } from './syntax/ast.ts';
import { byteLength } from './utf8.ts';
import type { Value } from './values.ts';

/** What `break` and `continue` answer to the loop around them. */
export type Signal = undefined | 'break' | 'continue';
export type Exec = (run: Run, dot: Value) => Signal;
export type Eval = (run: Run, dot: Value) => Value;

/** A text that was parsed, named in the errors of all templates it defines. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

export interface CompiledTemplate {
  readonly name: string;
  readonly source: Source;
  readonly slots: number;
  readonly exec: Exec;
}

export type TemplateSet = ReadonlyMap<string, CompiledTemplate>;

export interface Environment {
  readonly missingKey: 'error' | 'default' | 'zero';
  readonly limits: Limits;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly timeZone: string;
  /** Compiles the text that `tpl` is given, with the templates that are defined around it. */
  readonly compileText: (text: string, name: string, around: TemplateSet) => TemplateSet;
}

/** How many steps go by between two looks at the clock. */
const stepsPerLook = 1024;

/** The state of one rendering. */
export class Run {
  out = '';
  /** The node an error is blamed on: set wherever Go's interpreter sets its own. */
  node: Node;
  /** The call whose function runs. */
  command: Node;
  /** Variables of the template that runs; `$` is the first. */
  frame: Value[] = [];
  /** The static type of dot inside a `range`, where Go still sees the interface around an element. */
  dotType: string | undefined;
  private steps: number;
  private nextLook: number;
  private depth = 0;
  private readonly deadline: number;

  constructor(
    public template: CompiledTemplate,
    public templates: TemplateSet,
    readonly env: Environment,
    root: Node,
  ) {
    this.node = root;
    this.command = root;
    this.steps = env.limits.steps;
    this.nextLook = Math.max(this.steps - stepsPerLook, -1);
    this.deadline = env.monotonicMs() + env.limits.timeMs;
  }

  write(text: string): void {
    if (this.out.length + text.length > this.env.limits.output) {
      throw new LimitReached('template-output-limit', `the output is longer than ${this.env.limits.output} characters`);
    }
    this.out += text;
  }

  step(units = 1): void {
    this.steps -= units;
    if (this.steps <= this.nextLook) this.look();
  }

  /** Charges for text or elements that a function is about to make. */
  charge(length: number): void {
    if (length > this.env.limits.output) {
      throw new LimitReached('template-output-limit', `a value is larger than ${this.env.limits.output} characters`);
    }
    this.step(1 + (length >> 4));
  }

  private look(): void {
    if (this.steps < 0) {
      const { steps } = this.env.limits;
      throw new LimitReached('template-steps-limit', `the rendering takes more than ${steps} steps`);
    }
    this.nextLook = Math.max(this.steps - stepsPerLook, -1);
    if (this.env.monotonicMs() > this.deadline) {
      const { timeMs } = this.env.limits;
      throw new LimitReached('template-time-limit', `the rendering takes longer than ${timeMs} ms`);
    }
  }

  /** Runs another template with its own variables; `$` and dot are `dot`. */
  call(template: CompiledTemplate, dot: Value): void {
    if (this.depth >= this.env.limits.depth) {
      this.fail(`exceeded maximum template depth (${this.env.limits.depth})`, 'template-depth-limit');
    }
    const { template: outer, frame, dotType } = this;
    this.depth++;
    this.template = template;
    this.frame = new Array(template.slots);
    this.frame[0] = dot;
    this.dotType = undefined;
    template.exec(this, dot);
    this.depth--;
    this.template = outer;
    this.frame = frame;
    this.dotType = dotType;
  }

  /** What a template writes, as a text: for `include` and `tpl`. */
  capture(work: () => void): string {
    const { out } = this;
    this.out = '';
    work();
    const text = this.out;
    this.out = out;
    return text;
  }

  fail(message: string, code: TemplateErrorCode = 'template-execution', cause?: unknown): never {
    const { source, name } = this.template;
    const { pos } = this.node;
    const before = source.text.slice(0, pos);
    const line = before.split('\n').length;
    const column = byteLength(before.slice(before.lastIndexOf('\n') + 1));
    const where = `template: ${source.name}:${line}:${column}: executing ${quote(name)} at <${renderNode(this.node)}>`;
    throw new TemplateError(code, `${where}: ${message}`, { template: source.name, line, column }, cause);
  }

  /** Any error that came out of the rendering, as one with its place. */
  explain(thrown: unknown): TemplateError {
    if (thrown instanceof TemplateError) return thrown;
    try {
      if (thrown instanceof LimitReached) return this.fail(thrown.message, thrown.code);
      if (thrown instanceof CallFailure) return this.fail(thrown.message, 'template-data', thrown);
      if (thrown instanceof RangeError) {
        return this.fail(`the rendering needs too much memory: ${thrown.message}`, 'template-depth-limit', thrown);
      }
    } catch (placed) {
      return placed as TemplateError;
    }
    throw thrown;
  }
}
