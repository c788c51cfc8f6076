import { expect, test } from 'vitest';
import { policyLanguage } from './kyverno-policies.ts';
import { compile } from './program.ts';
import { CelError, CelOptional } from './values/values.ts';

const { environment, libraries } = policyLanguage('validate', false);

/** What cel-go answers and counts, with the extensions that policies have. */
test.each<readonly [string, unknown, number]>([
  ["string(base64.decode('YWJj'))", 'abc', 3],
  ["string(base64.decode('YW\\nJj'))", 'abc', 3],
  ["base64.decode('YQ=')", new CelError('illegal base64 data at input byte 2'), 2],
  ["base64.decode('YWJjY')", new CelError('illegal base64 data at input byte 4'), 2],
  ["base64.encode(b'abcdefghijklmnopqrstuvw')", 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnc=', 4],
  ["regex.extract('abc', '')", new CelOptional(''), 3],
  ["regex.extractAll('baaac', 'a*')", ['', 'aaa', ''], 15],
  ["regex.replace('baaac', 'a*', '-')", '-b-c-', 6],
  ["regex.replace('a', 'a', 'x\\\\')", new CelError("invalid replacement string: 'x\\' \\ not allowed at end"), 2],
  ['math.least([dyn(1), dyn("a")])', new CelError('no such overload: math.@min'), 1],
  ['math.round(9007199254740991.0) == 9007199254740991.0', true, 2],
])('%s', (expression, value, cost) => {
  const program = compile(expression, { environment, variables: libraries });
  expect(program.evaluate([])).toEqual({ value, cost });
});

test('least and greatest of what is written as no number are mistakes', () => {
  const compiled = (expression: string) => () => compile(expression, { environment, variables: libraries });
  expect(compiled("math.least(1, 'a')")).toThrow('math.least() simple literal arguments must be numeric');
  expect(compiled("math.greatest([1, 'a'])")).toThrow('math.greatest() invalid single argument value');
  expect(compiled("math.greatest(math.least('a', 1), 1)")).toThrow(/^(?!.*greatest\(\) simple)/s);
});
