import { expect, it } from 'vitest';
import { compilePolicy, createEvaluation } from '../../index.ts';

function judge(spec: object) {
  const { program, issues } = compilePolicy({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'DeletingPolicy',
    metadata: { name: 'p' },
    spec: {
      schedule: '0 * * * *',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] }],
      },
      ...spec,
    },
  });
  if (!program) return issues.map(({ path, message }) => `${path}: ${message}`);
  const evaluation = createEvaluation(
    [program],
    {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      subresource: '',
      object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } },
      namespaceLabels: {},
      uid: 'u',
      now: 0,
    },
    { phase: 'delete' },
  );
  evaluation.advance(new Map());
  return evaluation.results.map(({ status, message, rule }) => ({ status, message, rule: rule.name }));
}

const conditions = (...expressions: string[]) => ({
  conditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
});

it('a DeletingPolicy matches what all its conditions hold for, whatever operations it names', () => {
  expect(judge(conditions("object.metadata.name == 'web'"))).toEqual([
    { status: 'pass', message: 'resource matched', rule: 'p' },
  ]);
  expect(judge(conditions('true', 'false'))).toMatchObject([{ status: 'fail', message: 'resource did not match' }]);
  expect(judge(conditions('object.nowhere == 1'))).toMatchObject([{ status: 'error' }]);
  const variables = [{ name: 'n', expression: 'object.metadata.name' }];
  expect(judge({ variables, ...conditions("variables.n == 'web'") })).toMatchObject([{ status: 'pass' }]);
});

it('a DeletingPolicy sees no request', () => {
  expect(judge(conditions("request.operation == 'CREATE'"))).toMatchObject([
    { status: 'error', message: 'no such attribute(s): request' },
  ]);
});

it('a DeletingPolicy without a schedule or resource rules is refused', () => {
  expect(judge({ schedule: '' })).toEqual([expect.stringContaining('spec.schedule')]);
  expect(judge({ matchConstraints: {} })).toEqual([expect.stringContaining('not supported yet')]);
});
