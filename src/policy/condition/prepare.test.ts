import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateOperator, prepareOperator } from './evaluate.ts';
import { conditionOperators } from './operator.ts';

const scalar = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'a*', '*', '?b', '', '5', '1-10', '1h', '1Gi', '["a"]'),
  fc.integer({ min: 0, max: 12 }),
  fc.boolean(),
  fc.constant(null),
);
const operand = fc.oneof(scalar, fc.array(scalar, { maxLength: 20 }), fc.constant({ a: 1 }));

function answer(work: () => boolean): boolean | string {
  try {
    return work();
  } catch (thrown) {
    return String(thrown);
  }
}

it('an operator prepared for a value answers what it answers unprepared', () => {
  fc.assert(
    fc.property(fc.constantFrom(...conditionOperators, 'nonsense'), operand, operand, (operator, key, value) => {
      const prepared = prepareOperator(operator, value);
      expect(answer(() => prepared(key))).toEqual(answer(() => evaluateOperator(operator, key, value)));
    }),
    { numRuns: 3000 },
  );
});
