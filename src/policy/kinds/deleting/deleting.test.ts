import { describe, expect, it } from 'vitest';
import { compilePolicy, createEvaluation, type PolicyRequest } from '../../index.ts';
import type { Payload } from '../../request.ts';

const pod: PolicyRequest = {
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  subresource: '',
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } },
  namespaceLabels: {},
  uid: 'u',
  now: 0,
};

const payload = (mode: Payload['mode'], value: unknown): PolicyRequest => ({
  ...pod,
  kind: { group: '', version: '', kind: '' },
  object: undefined,
  payload: { mode, value },
});

function judge(spec: object, request = pod) {
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
  const evaluation = createEvaluation([program], request, { phase: 'delete' });
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

it('a DeletingPolicy without a schedule is refused', () => {
  expect(judge({ schedule: '' })).toEqual([expect.stringContaining('spec.schedule')]);
});

it('a DeletingPolicy whose schedule never comes round as written is refused', () => {
  expect(judge({ schedule: '0 * * *' })).toEqual([expect.stringContaining('spec.schedule: must have five fields')]);
});

describe('a DeletingPolicy without resource rules', () => {
  it.each([undefined, {}, { resourceRules: [] }])('judges documents (%j)', (matchConstraints) => {
    const spec = { matchConstraints, ...conditions("object.args[0] == 'a'") };
    const judged = (value: unknown) => judge(spec, payload('JSON', value));
    expect(judged({ args: ['a'] })).toEqual([{ status: 'pass', message: 'resource matched', rule: 'p' }]);
    expect(judged({ args: ['b'] })).toMatchObject([{ status: 'fail' }]);
    expect(judged({})).toMatchObject([{ status: 'error' }]);
  });

  it('selects no object, of whatever kind, and no request of a proxy', () => {
    const spec = { matchConstraints: undefined, ...conditions('true') };
    expect(judge(spec)).toEqual([]);
    expect(judge(spec, { ...pod, kind: { group: '', version: '', kind: '' } })).toEqual([]);
    expect(judge(spec, payload('HTTP', {}))).toEqual([]);
  });

  it('warns that it deletes nothing in a cluster', () => {
    const { program, issues } = compilePolicy({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'DeletingPolicy',
      metadata: { name: 'p' },
      spec: { schedule: '0 * * * *', ...conditions('true') },
    });
    expect(program).toBeDefined();
    expect(issues).toMatchObject([{ severity: 'warning', path: 'spec.matchConstraints' }]);
  });
});

it('a DeletingPolicy with resource rules judges no documents', () => {
  expect(judge(conditions('true'), payload('JSON', {}))).toEqual([]);
});
