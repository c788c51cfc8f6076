import { operators } from '../ast.ts';
import { equalityCost } from '../cost.ts';
import { equals } from '../values/equality.ts';
import { tenth } from '../values/size.ts';
import { Abnormal, CelError } from '../values/values.ts';
import type { Eval, Frame } from './frame.ts';
import { abnormalOf } from './logic.ts';
import type { Plan } from './plan.ts';

/** `==` and `!=`. */
export function compileEquality(left: Plan, right: Plan, name: string): Eval {
  const wanted = name === operators.equals;
  const a = left.eval;
  const b = right.eval;
  const constant = right.constant?.value;
  if (typeof constant === 'string') return equalsText(a, constant, wanted);
  if (typeof constant === 'boolean') return equalsBoolean(a, constant, wanted);
  if (typeof constant === 'number') return equalsNumber(a, constant, wanted);
  return (frame) => {
    const x = a(frame);
    if (x instanceof CelError) return x;
    return compareValues(frame, x, b(frame), wanted);
  };
}

function compareValues(frame: Frame, x: unknown, y: unknown, wanted: boolean): unknown {
  frame.charge(equalityCost(x, y, wanted));
  if (typeof x === 'string' && typeof y === 'string') return (x === y) === wanted;
  if (x instanceof Abnormal || y instanceof Abnormal) return abnormalOf(x, y);
  const equal = equals(x, y);
  // `!=` is true for what cannot be compared.
  return wanted ? equal : equal !== true;
}

function equalsText(a: Eval, constant: string, wanted: boolean): Eval {
  const most = tenth(constant);
  return (frame) => {
    const x = a(frame);
    if (typeof x === 'string') {
      const isEqual = x === constant;
      frame.charge(isEqual ? most : Math.min(tenth(x), most));
      return isEqual === wanted;
    }
    return x instanceof CelError ? x : compareValues(frame, x, constant, wanted);
  };
}

/** Booleans and numbers cost 1. */
function equalsBoolean(a: Eval, constant: boolean, wanted: boolean): Eval {
  const whenTrue = constant === wanted;
  return (frame) => {
    const x = a(frame);
    if (typeof x === 'boolean') {
      frame.charge(1);
      return x ? whenTrue : !whenTrue;
    }
    return x instanceof CelError ? x : compareValues(frame, x, constant, wanted);
  };
}

function equalsNumber(a: Eval, constant: number, wanted: boolean): Eval {
  return (frame) => {
    const x = a(frame);
    if (typeof x === 'number') {
      frame.charge(1);
      return (x === constant) === wanted;
    }
    return x instanceof CelError ? x : compareValues(frame, x, constant, wanted);
  };
}
