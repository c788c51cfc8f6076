import { setOwn } from '../base/index.ts';
import type { Comparator, Node } from './ast.ts';
import { compileArithmetic, compileSign } from './compile-arithmetic.ts';
import { compileLet, compileVariable } from './compile-binding.ts';
import { compileCall } from './compile-call.ts';
import { type CompileContext, type Evaluator, orNull } from './compile-context.ts';
import { compileChain, compileField, compileRootChain } from './compile-field.ts';
import {
  compileFilter,
  compileFlatten,
  compileIndex,
  compileProjection,
  compileSlice,
  compileValues,
} from './compile-projection.ts';
import { syntaxError } from './lexer.ts';
import { type Missing, materialize, missing } from './scope.ts';
import { isEqual, isFalse, isNumber } from './values.ts';

export function compileNode(node: Node, context: CompileContext): Evaluator {
  switch (node.kind) {
    case 'field':
      return compileField(node.name, node.at, context);
    case 'current':
      return context.atRoot ? (value, run) => (run.scope ? materialize(run.scope) : value) : (value) => value;
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'sub':
      return compileSub(node, context);
    case 'index':
      return compileIndex(node, context);
    case 'slice':
      return compileSlice(node, context);
    case 'projection':
      return compileProjection(node, context);
    case 'values':
      return compileValues(node, context);
    case 'filter':
      return compileFilter(node, context);
    case 'flatten':
      return compileFlatten(node, context);
    case 'list':
      return compileList(node.items, context);
    case 'hash':
      return compileHash(node, context);
    case 'compare':
      return compileComparison(node, context);
    case 'call':
      return compileCall(node, context);
    case 'reference':
      return refuseReference(node.at, context);
    case 'root':
      return (_, run) => run.root;
    case 'variable':
      return compileVariable(node);
    case 'let':
      return compileLet(node, context);
    case 'sign':
      return compileSign(node, context);
    case 'arithmetic':
      return compileArithmetic(node, context);
    case 'not': {
      const operand = compileNode(node.operand, context);
      return (value, run) => isFalse(orNull(operand(value, run)));
    }
    default:
      return compileConnective(node, context);
  }
}

function refuseReference(at: number, context: CompileContext): never {
  throw syntaxError(context.expression, at, 'an expression reference (&) can only be an argument of a function');
}

function compileSub(node: Extract<Node, { kind: 'sub' }>, context: CompileContext): Evaluator {
  const chain = context.atRoot ? compileRootChain(node, context) : compileChain(node);
  if (chain) return chain;
  const isCommunity = context.dialect === 'community';
  if (node.left.kind === 'current' && !isCommunity) return compileNode(node.right, context);
  const left = compileNode(node.left, context);
  const right = compileNode(node.right, { ...context, atRoot: false });
  if (isCommunity) {
    return (value, run) => {
      const base = orNull(left(value, run));
      return base === null ? null : right(base, run);
    };
  }
  return (value, run) => {
    const base = left(value, run);
    return base === missing ? (base as Missing) : right(base, run);
  };
}

function compileConnective(node: Extract<Node, { kind: 'or' | 'and' | 'pipe' }>, context: CompileContext): Evaluator {
  const left = compileNode(node.left, context);
  if (node.kind === 'pipe') {
    const right = compileNode(node.right, { ...context, atRoot: false });
    return (value, run) => orNull(right(orNull(left(value, run)), run));
  }
  const right = compileNode(node.right, context);
  if (node.kind === 'or') {
    return (value, run) => {
      const first = orNull(left(value, run));
      return isFalse(first) ? orNull(right(value, run)) : first;
    };
  }
  return (value, run) => {
    const first = orNull(left(value, run));
    return isFalse(first) ? first : right(value, run);
  };
}

function compileList(items: readonly Node[], context: CompileContext): Evaluator {
  const evaluators = items.map((item) => compileNode(item, context));
  const ofNull = context.dialect === 'community';
  return (value, run) => {
    if (value === null && !ofNull) return null;
    run.charge(evaluators.length);
    const list = new Array<unknown>(evaluators.length);
    for (let i = 0; i < evaluators.length; i++) list[i] = orNull((evaluators[i] as Evaluator)(value, run));
    return list;
  };
}

function compileHash(node: Extract<Node, { kind: 'hash' }>, context: CompileContext): Evaluator {
  const keys = node.entries.map((entry) => entry.key);
  const evaluators = node.entries.map((entry) => compileNode(entry.value, context));
  const ofNull = context.dialect === 'community';
  return (value, run) => {
    if (value === null && !ofNull) return null;
    run.charge(evaluators.length);
    const hash: Record<string, unknown> = {};
    for (let i = 0; i < evaluators.length; i++) {
      setOwn(hash, keys[i] as string, orNull((evaluators[i] as Evaluator)(value, run)));
    }
    return hash;
  };
}

function compileComparison(node: Extract<Node, { kind: 'compare' }>, context: CompileContext): Evaluator {
  const left = compileNode(node.left, context);
  const right = compileNode(node.right, context);
  if (node.operator === '==') {
    return (value, run) => isEqual(orNull(left(value, run)), orNull(right(value, run)), run);
  }
  if (node.operator === '!=') {
    return (value, run) => !isEqual(orNull(left(value, run)), orNull(right(value, run)), run);
  }
  const holds = ordering[node.operator];
  return (value, run) => {
    const a = left(value, run);
    const b = right(value, run);
    return isNumber(a) && isNumber(b) ? holds(a, b) : null;
  };
}

type Ordered = number | bigint;
const ordering: Record<Exclude<Comparator, '==' | '!='>, (a: Ordered, b: Ordered) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};
