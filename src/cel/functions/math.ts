import type { FunctionDecl } from '../environment.ts';
import { boolType, type CelType, doubleType, dynType, intType, listType, uintType } from '../types.ts';
import { compareNumbers, type Int, intOf, isNumeric, negateInt } from '../values/numbers.ts';
import { type CelDouble, CelError, CelUint, double, doubleOf } from '../values/values.ts';
import { declare, form } from './declare.ts';

type Double = number | CelDouble;

const numbers: readonly (readonly [string, CelType])[] = [
  ['double', doubleType],
  ['int', intType],
  ['uint', uintType],
];

/** The least or greatest of all arguments, or of a list; the first of equal ones. */
function extreme(name: 'min' | 'max', wins: -1 | 1): FunctionDecl {
  const pick = (values: readonly unknown[]): unknown => {
    const [first, ...rest] = values;
    if (first === undefined) return new CelError(`math.@${name}(list) argument must not be empty`);
    let best = first;
    for (const value of values) if (!isNumeric(value)) return new CelError(`no such overload: math.@${name}`);
    for (const value of rest)
      if (isNumeric(value) && isNumeric(best) && compareNumbers(value, best) === wins) best = value;
    return best;
  };
  return declare(
    `math.@${name}`,
    ...numbers.map(([id, type]) => form(`math_@${name}_${id}`, [type], type, (value: unknown) => value)),
    ...numbers.flatMap(([left, a]) =>
      numbers.map(([right, b]) =>
        form(`math_@${name}_${left}_${right}`, [a, b], left === right ? a : dynType, (x: unknown, y: unknown) =>
          pick([x, y]),
        ),
      ),
    ),
    ...numbers.map(([id, type]) => form(`math_@${name}_list_${id}`, [listType(type)], type, pick)),
  );
}

const rounding = (name: string, round: (value: number) => number) =>
  declare(
    `math.${name}`,
    form(`math_${name}_double`, [doubleType], doubleType, (value: Double) => double(round(doubleOf(value)))),
  );

const testing = (name: string, test: (value: number) => boolean) =>
  declare(
    `math.${name}`,
    form(`math_${name}_double`, [doubleType], boolType, (value: Double) => test(doubleOf(value))),
  );

/** Halves go away from zero. */
function roundHalf(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

const bits = (name: string, calculate: (a: bigint, b: bigint) => bigint) =>
  declare(
    `math.${name}`,
    form(`math_${name}_int_int`, [intType, intType], intType, (a: Int, b: Int) =>
      intOf(BigInt.asIntN(64, calculate(BigInt(a), BigInt(b)))),
    ),
    form(
      `math_${name}_uint_uint`,
      [uintType, uintType],
      uintType,
      (a: CelUint, b: CelUint) => new CelUint(BigInt.asUintN(64, calculate(a.value, b.value))),
    ),
  );

function shifting(name: string, shift: (value: bigint, by: bigint) => bigint): FunctionDecl {
  const negative = (by: Int) => new CelError(`math.${name}() negative offset: ${by}`);
  return declare(
    `math.${name}`,
    form(`math_${name}_int_int`, [intType, intType], intType, (a: Int, by: Int) => {
      if (by < 0) return negative(by);
      // The bits are moved as those of an unsigned number: no sign comes in from the left.
      return by > 63 ? 0 : intOf(BigInt.asIntN(64, shift(BigInt.asUintN(64, BigInt(a)), BigInt(by))));
    }),
    form(`math_${name}_uint_int`, [uintType, intType], uintType, (a: CelUint, by: Int) => {
      if (by < 0) return negative(by);
      return new CelUint(by > 63 ? 0n : BigInt.asUintN(64, shift(a.value, BigInt(by))));
    }),
  );
}

const overflow = new CelError('integer overflow');

export const mathFunctions: readonly FunctionDecl[] = [
  extreme('min', -1),
  extreme('max', 1),
  rounding('ceil', Math.ceil),
  rounding('floor', Math.floor),
  rounding('round', roundHalf),
  rounding('trunc', Math.trunc),
  testing('isInf', (value) => value === Infinity || value === -Infinity),
  testing('isNaN', Number.isNaN),
  testing('isFinite', Number.isFinite),
  declare(
    'math.abs',
    form('math_abs_double', [doubleType], doubleType, (value: Double) => double(Math.abs(doubleOf(value)))),
    form('math_abs_int', [intType], intType, (value: Int) => {
      const size = value < 0 ? negateInt(value) : value;
      return size instanceof CelError ? overflow : size;
    }),
    form('math_abs_uint', [uintType], uintType, (value: CelUint) => value),
  ),
  declare(
    'math.sign',
    form('math_sign_double', [doubleType], doubleType, (value: Double) => double(Math.sign(doubleOf(value)) + 0)),
    form('math_sign_int', [intType], intType, (value: Int) => (value > 0 ? 1 : value < 0 ? -1 : 0)),
    form('math_sign_uint', [uintType], uintType, ({ value }: CelUint) => new CelUint(value > 0n ? 1n : 0n)),
  ),
  declare(
    'math.sqrt',
    form('math_sqrt_double', [doubleType], doubleType, (value: Double) => double(Math.sqrt(doubleOf(value)))),
    form('math_sqrt_int', [intType], doubleType, (value: Int) => double(Math.sqrt(Number(value)))),
    form('math_sqrt_uint', [uintType], doubleType, ({ value }: CelUint) => double(Math.sqrt(Number(value)))),
  ),
  bits('bitAnd', (a, b) => a & b),
  bits('bitOr', (a, b) => a | b),
  bits('bitXor', (a, b) => a ^ b),
  declare(
    'math.bitNot',
    form('math_bitNot_int_int', [intType], intType, (value: Int) => intOf(~BigInt(value))),
    form(
      'math_bitNot_uint_uint',
      [uintType],
      uintType,
      ({ value }: CelUint) => new CelUint(BigInt.asUintN(64, ~value)),
    ),
  ),
  shifting('bitShiftLeft', (value, by) => value << by),
  shifting('bitShiftRight', (value, by) => value >> by),
];
