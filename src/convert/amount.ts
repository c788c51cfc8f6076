import { durationOf, quantityOf } from '../policy/index.ts';
import { and, type Bool, or, test } from './bool.ts';
import { quote } from './cel-text.ts';

export type Comparison = '==' | '!=' | '>' | '>=' | '<' | '<=';

const opposites: Readonly<Record<Comparison, Comparison>> = {
  '==': '!=',
  '!=': '==',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
};

export const compare = (left: string, comparison: Comparison, right: string): Bool =>
  test(`${left} ${comparison} ${right}`, `${left} ${opposites[comparison]} ${right}`);

/** Whether classic rules compare a text as a duration or a quantity. */
export const isAmount = (text: string) => durationOf(text) !== undefined || quantityOf(text) !== undefined;

const duration = "'^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|ms|s|m|h)(([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|ms|s|m|h))*$'";

/**
 * A text value against an amount: as durations if both are, else as quantities. Of what is neither, only `!=` holds.
 */
export function compareAmount(value: string, comparison: Comparison, operand: string): Bool {
  const differs = comparison === '!=';
  const isNone = (check: string): Bool => (differs ? test(`!${check}`, check) : test(check, `!${check}`));
  const join = differs ? or : and;
  const asQuantity =
    quantityOf(operand) === undefined
      ? undefined
      : join([
          isNone(`isQuantity(${value})`),
          compare(`quantity(${value}).compareTo(quantity(${quote(operand)}))`, comparison, '0'),
        ]);
  if (durationOf(operand) === undefined || /^[-+]?0$/.test(operand)) return asQuantity as Bool;
  const isDuration = `${value}.matches(${duration})`;
  const asDuration = compare(`duration(${value})`, comparison, `duration(${quote(operand)})`);
  if (asQuantity === undefined) return join([isNone(isDuration), asDuration]);
  return or([and([test(isDuration), asDuration]), and([test(`!${isDuration}`), asQuantity])]);
}
