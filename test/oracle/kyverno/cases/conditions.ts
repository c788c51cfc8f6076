import type { Json } from '../../../../src/base/index.ts';
import { chunks, policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const operators = [
  'Equals',
  'Equal',
  'equals',
  'NotEquals',
  'NotEqual',
  'In',
  'AnyIn',
  'AllIn',
  'NotIn',
  'AnyNotIn',
  'AllNotIn',
  'GreaterThan',
  'GreaterThanOrEquals',
  'LessThan',
  'LessThanOrEquals',
  'DurationGreaterThan',
  'DurationGreaterThanOrEquals',
  'DurationLessThan',
  'DurationLessThanOrEquals',
];

const sides: readonly Json[] = [
  '{{ request.object.spec.nil }}',
  true,
  false,
  0,
  1,
  5,
  5.5,
  10,
  -1,
  3600,
  ...[
    '',
    'a',
    'b',
    'ab',
    'a*',
    '*',
    '?',
    '5',
    '5.0',
    '10',
    '0',
    '1Gi',
    '2Gi',
    '1024Mi',
    '500m',
    '1h',
    '60m',
    '30s',
    '3600',
    '1-10',
    '1!-10',
    '5-',
    'true',
    'v1.2.3',
    '1.2.3',
    '>=1.0.0',
  ],
  '["a","b"]',
  '["a*"]',
  '[]',
  '{"k":"v"}',
  [],
  ['a'],
  ['b', 'a'],
  ['a', 'b', 'c'],
  ['a*'],
  ['*'],
  [1],
  [5, 10],
  ['5'],
  ['1-10'],
  [true],
  [null],
  [['a']],
  [{ k: 'v' }],
  {},
  { k: 'v' },
  { k: 'w' },
];

/** Every operator on every pair of values, as the conditions of a denial. */
export const conditionCases: readonly PolicyCase[] = operators.flatMap((operator) => {
  const pairs = sides.flatMap((key, k) => sides.map((value, v) => ({ key, value, name: `r${k}-${v}` })));
  return chunks(pairs, 400).map((some, i) => ({
    name: `${operator} ${i}`,
    policies: [
      policy(
        `conditions-${i}`,
        some.map(({ key, value, name }) =>
          rule(name, { validate: { message: 'denied', deny: { conditions: { all: [{ key, operator, value }] } } } }),
        ),
      ),
    ],
    resources: [widget('w', { nil: null })],
  }));
});
