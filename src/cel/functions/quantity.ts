import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from '../../object/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { boolType, doubleType, intType, opaqueType, stringType } from '../types.ts';
import { intOf } from '../values/numbers.ts';
import { remembering } from '../values/recent.ts';
import { CelError, CelOpaque, double } from '../values/values.ts';
import { declare, form, member } from './declare.ts';

class CelQuantity extends CelOpaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly size = 1;
  constructor(readonly quantity: Quantity) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelQuantity ? compareQuantities(this.quantity, other.quantity) === 0 : undefined;
  }
}

export const quantityType = opaqueType('kubernetes.Quantity');

const nanos = 1_000_000_000n;

const parse = remembering((text): CelQuantity | CelError => {
  try {
    return new CelQuantity(parseQuantity(text));
  } catch (thrown) {
    const message = (thrown as Error).message;
    return new CelError(message.slice(message.indexOf(': ') + 2));
  }
});

/** The whole amount, if it is whole and fits. */
const integer = ({ quantity }: CelQuantity) =>
  quantity.nanos % nanos === 0n ? intOf(quantity.nanos / nanos) : undefined;

const ofInt = (value: number | bigint): Quantity => ({ nanos: BigInt(value) * nanos, format: 'DecimalExponent' });

const notWhole = new CelError('cannot convert value to integer');
const two = [quantityType, quantityType];

export const quantityFunctions: readonly FunctionDecl[] = [
  declare('quantity', form('string_to_quantity', [stringType], quantityType, parse)),
  declare(
    'isQuantity',
    form('is_quantity_string', [stringType], boolType, (text: string) => !(parse(text) instanceof CelError)),
  ),
  declare(
    'sign',
    form('quantity_sign', [quantityType], intType, ({ quantity }: CelQuantity) =>
      quantity.nanos > 0n ? 1 : quantity.nanos < 0n ? -1 : 0,
    ),
  ),
  declare(
    'isGreaterThan',
    member(
      'quantity_is_greater_than',
      two,
      boolType,
      (a: CelQuantity, b: CelQuantity) => compareQuantities(a.quantity, b.quantity) > 0,
    ),
  ),
  declare(
    'isLessThan',
    member(
      'quantity_is_less_than',
      two,
      boolType,
      (a: CelQuantity, b: CelQuantity) => compareQuantities(a.quantity, b.quantity) < 0,
    ),
  ),
  declare(
    'compareTo',
    member('quantity_compare_to', two, intType, (a: CelQuantity, b: CelQuantity) =>
      compareQuantities(a.quantity, b.quantity),
    ),
  ),
  declare(
    'asApproximateFloat',
    member('quantity_get_float', [quantityType], doubleType, ({ quantity }: CelQuantity) =>
      double(Number(quantity.nanos) / 1e9),
    ),
  ),
  declare(
    'asInteger',
    member('quantity_get_int', [quantityType], intType, (value: CelQuantity) => integer(value) ?? notWhole),
  ),
  declare(
    'isInteger',
    member('quantity_is_integer', [quantityType], boolType, (value: CelQuantity) => integer(value) !== undefined),
  ),
  ...(
    [
      ['add', addQuantities],
      ['sub', subtractQuantities],
    ] as const
  ).map(([name, calculate]) =>
    declare(
      name,
      member(
        `quantity_${name}`,
        two,
        quantityType,
        (a: CelQuantity, b: CelQuantity) => new CelQuantity(calculate(a.quantity, b.quantity)),
      ),
      member(
        `quantity_${name}_int`,
        [quantityType, intType],
        quantityType,
        (a: CelQuantity, b: number | bigint) => new CelQuantity(calculate(a.quantity, ofInt(b))),
      ),
    ),
  ),
];
