import { expect, it } from 'vitest';
import { compileConditions, compileExpression, compileVariables, scopeOf } from './declarations.ts';
import { BudgetError, Evaluation } from './evaluation.ts';
import { matchConditions } from './match-conditions.ts';

const { expressions, type } = compileVariables(
  [
    { name: 'sum', expression: '[1, 2, 3].map(x, x + object.n).sum()' },
    { name: 'twice', expression: 'variables.sum * 2' },
    { name: 'bad', expression: 'object.missing' },
  ],
  { hasParams: false },
);
const scope = scopeOf({ hasParams: false, hasAuthorizer: false, variables: type });
const compiled = (source: string) => compileExpression(source, scope);

it('works a variable out once, and counts its cost once', () => {
  const evaluation = new Evaluation({ object: { n: 1 } }, 1000, expressions);
  expect(evaluation.evaluate(compiled('variables.twice + variables.sum'))).toEqual({ value: 27 });
  const spent = 1000 - evaluation.left;
  expect(evaluation.evaluate(compiled('variables.sum'))).toEqual({ value: 9 });
  expect(1000 - evaluation.left - spent).toBeLessThan(10);
});

it('keeps the error of a variable', () => {
  const evaluation = new Evaluation({ object: {} }, 1000, expressions);
  const error = `expression 'variables.bad == 1' resulted in error: composited variable "bad" fails to evaluate: no such key: missing`;
  expect(evaluation.evaluate(compiled('variables.bad == 1'))).toEqual({ error });
});

it('ends when the budget is spent', () => {
  const evaluation = new Evaluation({ object: { n: 1 } }, 20, expressions);
  expect(() => evaluation.evaluate(compiled('variables.sum > 0'))).toThrow(BudgetError);
});

it('tells an expression that does not compile when it is evaluated', () => {
  const result = new Evaluation({}, 1000).evaluate(compiled('1 +'));
  expect(result).toEqual({ error: expect.stringContaining('compilation error: compilation failed: ERROR') });
});

it('lets a condition that is false decide over one that fails', () => {
  const of = (...sources: string[]) =>
    compileConditions(
      sources.map((expression, i) => ({ name: `c${i}`, expression })),
      { hasParams: false },
    );
  const object = { object: {} };
  expect(matchConditions(of('object.x', 'false'), 'Fail', object)).toEqual({ matches: false });
  expect(matchConditions(of('true', 'object.x == 1'), 'Ignore', object)).toEqual({ matches: false });
  expect(matchConditions(of('true', 'object.x == 1'), 'Fail', object)).toEqual({
    error: `expression 'object.x == 1' resulted in error: no such key: x`,
  });
});
