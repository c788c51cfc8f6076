import { isEqual } from '../values/equality.ts';
import { isNumeric } from '../values/numbers.ts';
import { Abnormal } from '../values/values.ts';
import { constantPlan, type Plan } from './plan.ts';

/** `x in [literals]`: a set that costs nothing to ask; undefined for lists that are no such. */
export function compileMembership(item: Plan, list: Plan): Plan | undefined {
  const values = list.constant?.value;
  if (!Array.isArray(values)) return undefined;
  if (values.length === 0) return constantPlan(false);
  if (!values.every((value) => typeof value === 'string' || typeof value === 'boolean' || isNumeric(value))) {
    return undefined;
  }
  const plain = new Set<unknown>(values.filter((value) => typeof value === 'string' || typeof value === 'boolean'));
  const numbers = values.filter(isNumeric);
  const { eval: evaluate } = item;
  return {
    eval: (frame) => {
      const value = evaluate(frame);
      if (value instanceof Abnormal) return value;
      return plain.has(value) || (numbers.length > 0 && numbers.some((each) => isEqual(value, each)));
    },
  };
}
