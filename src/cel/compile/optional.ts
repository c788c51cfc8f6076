import { Abnormal, CelError, CelOptional, none, noSuchOverload } from '../values/values.ts';
import type { Eval } from './frame.ts';
import { abnormalOf } from './logic.ts';
import { isAbsent, OptionalPath } from './path.ts';
import type { Plan } from './plan.ts';

/** `or` and `orValue`: the right side is only evaluated when the left has no value; neither costs anything of its own. */
export function compileOr(receiver: Plan, other: Eval, unwraps: boolean): Eval {
  const path = unwraps ? OptionalPath.of(receiver.attribute) : undefined;
  if (path) {
    return (frame) => {
      const value = path.read(frame);
      return isAbsent(value) ? other(frame) : value;
    };
  }
  const { eval: evaluate } = receiver;
  return (frame) => {
    const value = evaluate(frame);
    if (value instanceof CelOptional) {
      if (value === none) return other(frame);
      return unwraps ? value.value : value;
    }
    return value instanceof Abnormal ? value : noSuchOverload;
  };
}

/** Kyverno's `orValue` of a path, a function with both sides evaluated: the same without making an optional. */
export function compileLenientOrValue(receiver: Plan, other: Plan): Eval | undefined {
  const path = OptionalPath.of(receiver.attribute);
  if (!path) return undefined;
  if (other.constant) {
    const { value: instead } = other.constant;
    return (frame) => {
      const value = path.read(frame);
      if (value instanceof CelError) return value;
      frame.charge(1);
      return isAbsent(value) ? instead : value;
    };
  }
  const { eval: evaluate } = other;
  return (frame) => {
    const value = path.read(frame);
    if (value instanceof CelError) return value;
    const instead = evaluate(frame);
    frame.charge(1);
    if (value instanceof Abnormal || instead instanceof Abnormal) return abnormalOf(value, instead);
    return isAbsent(value) ? instead : value;
  };
}

/** `hasValue` of a path. */
export function compileHasValue(receiver: Plan): Eval | undefined {
  const path = OptionalPath.of(receiver.attribute);
  return (
    path &&
    ((frame) => {
      const value = path.read(frame);
      frame.charge(1);
      return value instanceof Abnormal ? value : !isAbsent(value);
    })
  );
}
