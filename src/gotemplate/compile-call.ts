import type { Command, Scope } from './compile-operand.ts';
import { CallFailure } from './errors.ts';
import { checkType, type FunctionSpec, type ParameterType } from './functions/signature.ts';
import type { Eval, Run } from './run.ts';
import type { CommandNode, IdentifierNode, Operand } from './syntax/ast.ts';
import { isTrue, type Value } from './values.ts';

interface CallSite {
  readonly word: IdentifierNode;
  /** What an error of the function itself is blamed on. */
  readonly node: CommandNode | IdentifierNode;
  readonly args: readonly Operand[];
  readonly hasFinal: boolean;
}

type CompileArgument = (node: Operand, type: ParameterType, scope: Scope) => Eval;

export function compileCall(site: CallSite, scope: Scope, compileArgument: CompileArgument): Command {
  const { word, hasFinal } = site;
  const spec = scope.functions.get(word.name)!;
  const args = word.name === 'required' ? seedOrder(site) : site.args;
  const count = args.length + (hasFinal ? 1 : 0);
  const fixed = spec.parameters.length;
  const isWrongCount = spec.variadic ? count < fixed : count !== fixed;
  if (isWrongCount) {
    const [want, got] = spec.variadic ? [`at least ${fixed}`, args.length] : [fixed, count];
    return (run) => {
      run.node = word;
      return run.fail(`wrong number of args for ${word.name}: want ${want} got ${got}`);
    };
  }
  const typeAt = (index: number): ParameterType => spec.parameters[index] ?? spec.variadic!;
  const values = args.map((arg, index) => compileArgument(arg, typeAt(index), scope));
  if (word.name === 'and' || word.name === 'or') return compileLogic(word, values, hasFinal);
  const finalType = hasFinal ? typeAt(args.length) : undefined;
  return compileInvocation({ ...site, spec, values, finalType });
}

/** `and` and `or` evaluate no further than needed. */
function compileLogic(word: IdentifierNode, values: readonly Eval[], hasFinal: boolean): Command {
  const stopsAt = word.name === 'or';
  return (run, dot, final) => {
    run.node = word;
    run.step();
    let value: Value;
    for (const evaluate of values) {
      value = evaluate(run, dot);
      if (isTrue(value) === stopsAt) return value;
    }
    return hasFinal ? final : value;
  };
}

interface Invocation extends CallSite {
  readonly spec: FunctionSpec;
  readonly values: readonly Eval[];
  readonly finalType: ParameterType | undefined;
}

function compileInvocation({ word, node, spec, values, finalType }: Invocation): Command {
  const count = values.length;
  return (run, dot, final) => {
    run.node = word;
    const args: Value[] = new Array(finalType === undefined ? count : count + 1);
    for (let i = 0; i < count; i++) args[i] = values[i]!(run, dot);
    if (finalType !== undefined) {
      checkType(run, final, finalType);
      args[count] = final;
    }
    run.step(sizeOf(args));
    run.command = node;
    try {
      return spec.call(args, run);
    } catch (thrown) {
      return explainCall(run, node, word.name, thrown);
    }
  };
}

/** What a function can do to its arguments costs by their size, whatever it is. */
function sizeOf(args: readonly Value[]): number {
  let size = 1;
  for (const arg of args) {
    if (typeof arg === 'string') size += arg.length >> 6;
    else if (Array.isArray(arg)) size += arg.length >> 3;
  }
  return size;
}

function explainCall(run: Run, node: CommandNode | IdentifierNode, name: string, thrown: unknown): never {
  if (!(thrown instanceof CallFailure)) throw thrown;
  run.node = node;
  return run.fail(`error calling ${name}: ${thrown.message}`, thrown.code);
}

/**
 * Helm's order is `required "message" value`. `required value "message"` can only mean the other one: nobody asks for
 * a constant to be there.
 */
function seedOrder({ args, hasFinal }: CallSite): readonly Operand[] {
  const [first, second] = args;
  const isSeeds = args.length === 2 && !hasFinal && second!.kind === 'string' && first!.kind !== 'string';
  return isSeeds ? [second!, first!] : args;
}
