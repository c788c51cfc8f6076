import type { ArithmeticOperator, Node } from './ast.ts';
import type { CompileContext, Evaluator } from './compile-context.ts';
import { isNumber } from './values.ts';

type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;

const operations: Record<ArithmeticOperator, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  '%': (a, b) => a % b,
};

/** Of anything but two numbers the result is null. */
export function compileArithmetic(node: NodeOf<'arithmetic'>, context: CompileContext): Evaluator {
  const left = context.compileNode(node.left, context);
  const right = context.compileNode(node.right, context);
  const operate = operations[node.operator];
  const { at } = node;
  return (value, run) => {
    const a = left(value, run);
    const b = right(value, run);
    if (!isNumber(a) || !isNumber(b)) return null;
    const result = operate(Number(a), Number(b));
    if (!Number.isFinite(result)) throw run.error('jmespath-invalid-value', 'the result is not a finite number', at);
    return result;
  };
}

export function compileSign({ operator, operand }: NodeOf<'sign'>, context: CompileContext): Evaluator {
  const inner = context.compileNode(operand, context);
  return (value, run) => {
    const number = inner(value, run);
    if (!isNumber(number)) return null;
    return operator === '-' ? -number : number;
  };
}
