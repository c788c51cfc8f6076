import type { Node } from './ast.ts';
import { type CompileContext, type Evaluator, orNull } from './compile-context.ts';
import { CallFailure, JmespathError, type JmespathErrorCode } from './errors.ts';
import { type ArgumentType, type FunctionSpec, testFor } from './functions/signature.ts';
import { communityFunctions, functions } from './functions/table.ts';
import type { Run } from './run.ts';
import { isNumber, isObject, Reference } from './values.ts';

type Call = Extract<Node, { kind: 'call' }>;
type Arguments = (value: unknown, run: Run) => unknown[];

/** Arguments are evaluated even for a call that is bound to fail: their own errors come first, as in Kyverno. */
export function compileCall(node: Call, context: CompileContext): Evaluator {
  const args = node.args.map((arg) =>
    arg.kind === 'reference' ? compileReference(arg.body, context) : context.compileNode(arg, context),
  );
  const evaluateArgs: Arguments = (value, run) => {
    const values = new Array<unknown>(args.length);
    for (let i = 0; i < args.length; i++) values[i] = orNull((args[i] as Evaluator)(value, run));
    return values;
  };
  const spec = (context.dialect === 'community' ? communityFunctions : functions).get(node.name);
  const problem = spec === undefined ? unknownFunction(node.name) : arityProblem(spec, args.length);
  if (problem !== undefined) {
    if (context.checkCalls === 'compile') {
      throw new JmespathError(problem.code, problem.message, { expression: context.expression, offset: node.at });
    }
    return (value, run) => {
      evaluateArgs(value, run);
      throw run.error(problem.code, problem.message, node.at);
    };
  }
  return checkedCall(spec as FunctionSpec, node, evaluateArgs);
}

function checkedCall(spec: FunctionSpec, { at, args: { length: count } }: Call, evaluateArgs: Arguments): Evaluator {
  const { name, parameters, variadic } = spec;
  const types = Array.from({ length: count }, (_, i) => parameters[i] ?? variadic ?? (['any'] as const));
  const tests = types.map(testFor);
  return (value, run) => {
    const values = evaluateArgs(value, run);
    run.charge(1);
    for (let i = 0; i < values.length; i++) {
      if (tests[i]?.(values[i]) === false) {
        throw run.error('jmespath-argument-type', typeMessage(name, i, values[i], types[i] ?? []), at);
      }
    }
    try {
      return spec.call(values, run);
    } catch (thrown) {
      if (!(thrown instanceof CallFailure)) throw thrown;
      throw run.error(thrown.code, `JMESPath function '${name}': ${thrown.message}`, at, thrown.cause);
    }
  };
}

interface Problem {
  readonly code: JmespathErrorCode;
  readonly message: string;
}

function unknownFunction(name: string): Problem {
  return { code: 'jmespath-unknown-function', message: `unknown function: ${name}` };
}

function arityProblem(spec: FunctionSpec, given: number): Problem | undefined {
  const { name, parameters, variadic, optional = 0 } = spec;
  // The reference implementation does not count the arguments of a function that takes none.
  if (parameters.length === 0) return undefined;
  const needed = parameters.length - optional;
  if (given >= needed && (variadic !== undefined || given <= parameters.length)) return undefined;
  const atLeast = variadic === undefined ? '' : 'at least ';
  const plural = parameters.length === 1 ? '' : 's';
  const upTo = optional === 0 ? '' : `${needed} to `;
  const message = `JMESPath function '${name}' takes ${atLeast}${upTo}${parameters.length} argument${plural}, not ${given}`;
  return { code: 'jmespath-arity', message };
}

function typeMessage(name: string, index: number, value: unknown, types: readonly ArgumentType[]): string {
  return `JMESPath function '${name}': argument #${index + 1} is ${typeName(value)}, not of type ${types.join(' or ')}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  if (isNumber(value)) return 'a number';
  return typeof value === 'object' ? 'an expression reference' : `a ${typeof value}`;
}

/** The body of `&expression`, for a function's argument; its values are never the root. */
function compileReference(body: Node, context: CompileContext): Evaluator {
  const evaluator = context.compileNode(body, { ...context, atRoot: false });
  const reference = new Reference((value, run) => orNull(evaluator(value, run)));
  return () => reference;
}
