import { Abnormal, CelError, CelUnknown, noSuchOverload } from '../values/values.ts';
import type { Eval } from './frame.ts';

/** `&&` and `||`: the value that decides wins over errors and unknowns, whichever comes first; unknowns win over errors. */
export function compileLogic(terms: readonly Eval[], decisive: boolean): Eval {
  if (terms.length !== 2) return compileMany(terms, decisive);
  const [first, second] = terms as [Eval, Eval];
  // Each side written out: comparing with a literal is faster than with a variable.
  if (decisive) {
    return (frame) => {
      const a = first(frame);
      if (a === true) return true;
      const b = second(frame);
      return b === true || (a === false && b === false ? false : combine(a, b));
    };
  }
  return (frame) => {
    const a = first(frame);
    if (a === false) return false;
    const b = second(frame);
    return b === false ? false : a === true && b === true ? true : combine(a, b);
  };
}

function compileMany(terms: readonly Eval[], decisive: boolean): Eval {
  return (frame) => {
    let result: unknown = !decisive;
    for (let i = 0; i < terms.length; i++) {
      const value = (terms[i] as Eval)(frame);
      if (value === true) {
        if (decisive) return true;
      } else if (value === false) {
        if (!decisive) return false;
      } else result = combine(result, value);
    }
    return result;
  };
}

/** `!` */
export function compileNot(term: Eval): Eval {
  return (frame) => {
    const value = term(frame);
    frame.charge(1);
    if (typeof value === 'boolean') return !value;
    return value instanceof Abnormal ? value : noSuchOverload;
  };
}

/** What two terms make that decide nothing, at least one of which is no boolean. */
export function combine(a: unknown, b: unknown): unknown {
  if (a instanceof CelUnknown) return b instanceof CelUnknown ? a.merge(b) : a;
  if (b instanceof CelUnknown) return b;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? b : b instanceof CelError ? b : noSuchOverload;
  return a instanceof CelError ? a : noSuchOverload;
}

/** The first error of two values, or both unknowns as one; undefined when both are values. */
export function abnormalOf(a: unknown, b: unknown): Abnormal | undefined {
  if (a instanceof CelError) return a;
  if (b instanceof CelError) return b;
  if (a instanceof CelUnknown) return b instanceof CelUnknown ? a.merge(b) : a;
  return b instanceof CelUnknown ? b : undefined;
}
