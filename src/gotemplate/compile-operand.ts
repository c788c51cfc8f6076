import { compileCall } from './compile-call.ts';
import { accessField } from './field.ts';
import { canBeNil, checkType, type FunctionTable, type ParameterType } from './functions/signature.ts';
import type { Eval, Run } from './run.ts';
import type { ChainNode, CommandNode, FieldNode, NumberNode, Operand, PipeNode, VariableNode } from './syntax/ast.ts';
import { renderNode } from './syntax/ast.ts';
import { Complex, float, type Value } from './values.ts';

/** Where the variables of one template live: names in scope, innermost last, with their places in the frame. */
export interface Scope {
  readonly functions: FunctionTable;
  readonly visible: { readonly name: string; readonly slot: number; readonly staticType: string | undefined }[];
  slots: number;
  /** True inside a `range`, where dot is an element. */
  isElement: boolean;
}

export function declareVariable(scope: Scope, name: string, staticType?: string): number {
  const slot = scope.slots++;
  scope.visible.push({ name, slot, staticType });
  return slot;
}

const findVariable = (scope: Scope, name: string) => scope.visible.findLast((variable) => variable.name === name);

/** A pipeline: each command gets the value of the one before as its last argument. */
export function compilePipe(pipe: PipeNode, scope: Scope, isRange = false): Eval {
  const evaluate = compileCommands(pipe, scope);
  if (pipe.declarations.length === 0) return evaluate;
  const stores = pipe.declarations.map(({ names: [name] }, index) => {
    if (!pipe.isAssign) return { name, slot: declareVariable(scope, name!, elementTypeOf(pipe, index, isRange)) };
    return { name, slot: findVariable(scope, name!)?.slot };
  });
  return (run, dot) => {
    const value = evaluate(run, dot);
    for (const { name, slot } of stores) {
      if (slot === undefined) return run.fail(`undefined variable: ${name}`);
      run.frame[slot] = value;
    }
    return value;
  };
}

/** The variable of a `range` that takes the elements holds them as Go's interface values. */
const elementTypeOf = (pipe: PipeNode, index: number, isRange: boolean) =>
  isRange && index === pipe.declarations.length - 1 ? 'interface {}' : undefined;

function compileCommands(pipe: PipeNode, scope: Scope): Eval {
  const [first, ...rest] = pipe.commands.map((command, index) => compileCommand(command, scope, index > 0));
  const firstStep = first!;
  if (rest.length === 0) {
    return (run, dot) => {
      run.node = pipe;
      const value = firstStep(run, dot, undefined);
      return value === null ? undefined : value;
    };
  }
  return (run, dot) => {
    run.node = pipe;
    let value = firstStep(run, dot, undefined);
    for (const step of rest) {
      if (value === null) value = undefined;
      value = step(run, dot, value);
    }
    return value === null ? undefined : value;
  };
}

export type Command = (run: Run, dot: Value, final: Value) => Value;

function compileCommand(command: CommandNode, scope: Scope, hasFinal: boolean): Command {
  const [word, ...args] = command.args as [Operand, ...Operand[]];
  switch (word.kind) {
    case 'field':
    case 'chain':
      return compileWithArguments(word, args, scope, hasFinal);
    case 'identifier':
      return compileCall({ word, node: command, args, hasFinal }, scope, compileArgument);
    case 'variable':
      if (word.names.length > 1) return compileWithArguments(word, args, scope, hasFinal);
      break;
    case 'nil':
      return (run) => {
        run.node = word;
        if (args.length > 0 || hasFinal) run.fail(`can't give argument to non-function ${renderNode(word)}`);
        return run.fail('nil is not a command');
      };
    default:
  }
  if (args.length > 0 || hasFinal) {
    return (run) => {
      if (word.kind !== 'pipe') run.node = word;
      return run.fail(`can't give argument to non-function ${renderNode(word)}`);
    };
  }
  return compileOperand(word, scope);
}

/** `.Field args`: only a method takes arguments, and only a value tells whether it has one. */
function compileWithArguments(
  node: FieldNode | ChainNode | VariableNode,
  args: readonly Operand[],
  scope: Scope,
  hasFinal: boolean,
): Command {
  if (args.length === 0 && !hasFinal) return compileOperand(node, scope);
  const values = args.map((arg) => compileArgument(arg, 'interface {}', scope));
  return compileFields(node, scope, (run, dot, final) => {
    const given = values.map((evaluate) => evaluate(run, dot));
    return hasFinal ? [...given, final] : given;
  });
}

/** The value of an operand where no type is asked for. */
function compileOperand(node: Operand, scope: Scope): Eval {
  switch (node.kind) {
    case 'field':
    case 'chain':
      return compileFields(node, scope) as Eval;
    case 'variable':
      return node.names.length > 1 ? (compileFields(node, scope) as Eval) : compileVariable(node, scope);
    case 'pipe':
      return compilePipe(node, scope);
    case 'identifier':
      return compileCall({ word: node, node, args: [], hasFinal: false }, scope, compileArgument) as Eval;
    case 'dot':
      return (run, dot) => {
        run.node = node;
        return dot;
      };
    case 'nil':
      return () => null;
    default: {
      const constant = node.kind === 'number' ? idealConstant(node) : node.kind === 'string' ? node.text : node.value;
      return (run) => {
        run.node = node;
        return constant === undefined ? run.fail(`${renderNode(node)} overflows int`) : constant;
      };
    }
  }
}

function compileVariable(node: VariableNode, scope: Scope): Eval {
  const name = node.names[0]!;
  const slot = findVariable(scope, name)?.slot;
  return (run) => {
    run.node = node;
    return slot === undefined ? run.fail(`undefined variable: ${name}`) : run.frame[slot];
  };
}

/** The value of a number constant whose type nothing decides but its spelling. */
function idealConstant(node: NumberNode): Value {
  if (node.complex) return new Complex(node.complex.real, node.complex.imaginary);
  const isHexInteger = /^0[xX][^pP]+$/.test(node.text);
  const isFloat = node.float !== undefined && !isHexInteger && !node.text.startsWith("'") && /[.eEpP]/.test(node.text);
  return isFloat ? float(node.float) : node.int;
}

type Arguments = (run: Run, dot: Value, final: Value) => readonly Value[];

/** Walks `.a.b.c` from dot, a variable or a parenthesised pipeline; the last name takes the arguments, if any. */
function compileFields(node: FieldNode | ChainNode | VariableNode, scope: Scope, args?: Arguments): Command {
  const names = node.kind === 'variable' ? node.names.slice(1) : node.names;
  const last = names.length - 1;
  const start = compileReceiver(node, scope);
  const accesses = names.map((name, index) => ({
    name,
    staticType: index === 0 ? start.staticType : 'interface {}',
    args: undefined,
  }));
  const { receiver, isDot } = start;
  if (isDot && last === 0 && !args) {
    const access = accesses[0]!;
    return (run, dot) => {
      run.node = node;
      const staticType = access.staticType === undefined ? undefined : run.dotType;
      return accessField(run, dot, { name: access.name, staticType, args: undefined });
    };
  }
  return (run, dot, final) => {
    run.node = node;
    let value = receiver(run, dot);
    for (let i = 0; i <= last; i++) {
      const access = accesses[i]!;
      const staticType = isDot && i === 0 && access.staticType !== undefined ? run.dotType : access.staticType;
      const given = args && i === last ? () => args(run, dot, final) : undefined;
      value = accessField(run, value, { name: access.name, staticType, args: given });
    }
    return value;
  };
}

interface Receiver {
  readonly receiver: Eval;
  readonly staticType: string | undefined;
  readonly isDot: boolean;
}

function compileReceiver(node: FieldNode | ChainNode | VariableNode, scope: Scope): Receiver {
  if (node.kind === 'field') {
    return { receiver: (_, dot) => dot, staticType: scope.isElement ? 'interface {}' : undefined, isDot: true };
  }
  if (node.kind === 'variable') {
    const variable = findVariable(scope, node.names[0]!);
    const receiver = compileVariable({ ...node, names: node.names.slice(0, 1) }, scope);
    const atNode: Eval = (run, dot) => {
      const value = receiver(run, dot);
      run.node = node;
      return value;
    };
    return { receiver: atNode, staticType: variable?.staticType, isDot: false };
  }
  if (node.node.kind === 'nil') {
    const message = `indirection through explicit nil in ${renderNode(node)}`;
    return { receiver: (run) => run.fail(message), staticType: undefined, isDot: false };
  }
  return { receiver: compileOperand(node.node, scope), staticType: undefined, isDot: false };
}

/** An operand passed to a parameter of a known type. */
function compileArgument(node: Operand, type: ParameterType, scope: Scope): Eval {
  const isAny = type === 'interface {}' || type === 'reflect.Value';
  switch (node.kind) {
    case 'nil':
      return (run) => {
        run.node = node;
        return canBeNil(type) ? (type === 'interface {}' ? null : undefined) : run.fail(`cannot assign nil to ${type}`);
      };
    case 'bool':
    case 'string':
    case 'number': {
      if (isAny) return compileOperand(node, scope);
      const constant = typedConstant(node, type);
      return (run) => {
        run.node = node;
        return constant.value === undefined ? run.fail(constant.message) : constant.value;
      };
    }
    default: {
      const evaluate = compileOperand(node, scope);
      if (isAny) return evaluate;
      return (run, dot) => {
        run.node = node;
        const value = evaluate(run, dot);
        checkType(run, value, type);
        return value;
      };
    }
  }
}

function typedConstant(node: Operand, type: ParameterType): { readonly value: Value; readonly message: string } {
  const found = renderNode(node);
  const number = node.kind === 'number' ? node : undefined;
  switch (type) {
    case 'bool':
      return { value: node.kind === 'bool' ? node.value : undefined, message: `expected bool; found ${found}` };
    case 'string':
      return { value: node.kind === 'string' ? node.text : undefined, message: `expected string; found ${found}` };
    case 'int':
    case 'int64':
      return { value: number?.int, message: `expected integer; found ${found}` };
    case 'uint32':
      return { value: number?.uint, message: `expected unsigned integer; found ${found}` };
    case 'float64': {
      const value = number?.float === undefined ? undefined : float(number.float);
      return { value, message: `expected float; found ${found}` };
    }
    default:
      return { value: undefined, message: `can't handle ${found} for arg of type ${type}` };
  }
}
