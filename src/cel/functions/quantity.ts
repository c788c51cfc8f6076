import { parseQuantity } from '../../object/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { boolType, doubleType, intType, opaqueType, stringType } from '../types.ts';
import { intOf } from '../values/numbers.ts';
import { remembering } from '../values/recent.ts';
import { CelError, CelOpaque, double } from '../values/values.ts';
import { declare, form, member } from './declare.ts';
import {
  type Amount,
  addAmounts,
  amountOf,
  approximateFloat,
  compareAmounts,
  integerOf,
  subtractAmounts,
  wholeAmount,
} from './quantity-amount.ts';

class CelQuantity extends CelOpaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly size = 1;
  constructor(
    readonly amount: Amount,
    /** Made by `add` or `sub`: in Kubernetes, such a value equals others, but others do not compare with it. */
    override readonly isPointer = false,
  ) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    if (!(other instanceof CelQuantity) || other.isPointer) return undefined;
    return compareAmounts(this.amount, other.amount) === 0;
  }
}

export const quantityType = opaqueType('kubernetes.Quantity');

const parse = remembering((text): CelQuantity | CelError => {
  try {
    return new CelQuantity(amountOf(text, parseQuantity(text).nanos));
  } catch (thrown) {
    const message = (thrown as Error).message;
    return new CelError(message.slice(message.indexOf(': ') + 2));
  }
});

const notWhole = new CelError('cannot convert value to integer');
const two = [quantityType, quantityType];
const order = (a: CelQuantity, b: CelQuantity) => compareAmounts(a.amount, b.amount);

export const quantityFunctions: readonly FunctionDecl[] = [
  declare('quantity', form('string_to_quantity', [stringType], quantityType, parse)),
  declare(
    'isQuantity',
    form('is_quantity_string', [stringType], boolType, (text: string) => !(parse(text) instanceof CelError)),
  ),
  declare(
    'sign',
    form('quantity_sign', [quantityType], intType, ({ amount: { unscaled } }: CelQuantity) =>
      unscaled > 0n ? 1 : unscaled < 0n ? -1 : 0,
    ),
  ),
  declare(
    'isGreaterThan',
    member('quantity_is_greater_than', two, boolType, (a: CelQuantity, b: CelQuantity) => order(a, b) > 0),
  ),
  declare(
    'isLessThan',
    member('quantity_is_less_than', two, boolType, (a: CelQuantity, b: CelQuantity) => order(a, b) < 0),
  ),
  declare('compareTo', member('quantity_compare_to', two, intType, order)),
  declare(
    'asApproximateFloat',
    member('quantity_get_float', [quantityType], doubleType, ({ amount }: CelQuantity) =>
      double(approximateFloat(amount)),
    ),
  ),
  declare(
    'asInteger',
    member('quantity_get_int', [quantityType], intType, ({ amount }: CelQuantity) => {
      const value = integerOf(amount);
      return value === undefined ? notWhole : intOf(value);
    }),
  ),
  declare(
    'isInteger',
    member(
      'quantity_is_integer',
      [quantityType],
      boolType,
      ({ amount }: CelQuantity) => integerOf(amount) !== undefined,
    ),
  ),
  ...(
    [
      ['add', addAmounts],
      ['sub', subtractAmounts],
    ] as const
  ).map(([name, calculate]) =>
    declare(
      name,
      member(
        `quantity_${name}`,
        two,
        quantityType,
        (a: CelQuantity, b: CelQuantity) => new CelQuantity(calculate(a.amount, b.amount), true),
      ),
      member(
        `quantity_${name}_int`,
        [quantityType, intType],
        quantityType,
        (a: CelQuantity, b: number | bigint) => new CelQuantity(calculate(a.amount, wholeAmount(BigInt(b))), true),
      ),
    ),
  ),
];
