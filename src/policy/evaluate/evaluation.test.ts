import { describe, expect, it } from 'vitest';
import {
  compileException,
  compilePolicy,
  createEvaluation,
  type LookUpAnswer,
  lookUpKey,
  type PolicyRequest,
} from '../index.ts';

const match = { any: [{ resources: { kinds: ['ConfigMap'] } }] };
const compiled = (rules: readonly object[], spec: object = {}, name = 'p') =>
  compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name },
    spec: { background: false, ...spec, rules: rules.map((rule, i) => ({ name: `r${i}`, match, ...rule })) },
  }).program!;
const request: PolicyRequest = {
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'default' },
    data: { a: '1' },
  } as never,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
};
const needs = (name: string) => ({
  context: [{ name: 's', configMap: { name, namespace: 'default' } }],
  validate: {
    message: 'm',
    deny: { conditions: { any: [{ key: '{{ s.data.a }}', operator: 'Equals', value: 'bad' }] } },
  },
});
const found: LookUpAnswer = { ok: true, value: { data: { a: 'good' } } };

describe('an evaluation', () => {
  it('finds the exceptions of a rule once for all requests', () => {
    const program = compiled([{ validate: { message: 'm', deny: {} } }]);
    let asked = 0;
    const exception = {
      ...compileException({
        apiVersion: 'kyverno.io/v2',
        kind: 'PolicyException',
        metadata: { name: 'e', namespace: 'default' },
        spec: { exceptions: [{ policyName: 'p', ruleNames: ['r0'] }], match },
      }).program!,
      covers: () => ++asked > 0,
    };
    const exceptions = [exception];
    const statuses = [1, 2].map(() => {
      const evaluation = createEvaluation([program], request, { phase: 'validate', exceptions });
      evaluation.advance(new Map());
      return evaluation.results.map(({ status }) => status);
    });
    expect(statuses).toEqual([['skip'], ['skip']]);
    expect(asked).toBe(1);
  });

  it('returns the look-ups of all pending rules at once, and never runs finished rules again', () => {
    const program = compiled([needs('one'), { validate: { message: 'm', deny: {} } }, needs('two'), needs('one')]);
    const evaluation = createEvaluation([program], request, { phase: 'validate' });
    const asked = evaluation.advance(new Map());
    expect(asked).toEqual([
      { kind: 'configMap', namespace: 'default', name: 'one' },
      { kind: 'configMap', namespace: 'default', name: 'two' },
    ]);
    expect(evaluation.results.map(({ rule, status }) => [rule.name, status])).toEqual([['r1', 'fail']]);
    const [finished] = evaluation.results;
    expect(evaluation.advance(new Map(asked.map((need) => [lookUpKey(need), found])))).toEqual([]);
    expect(evaluation.results.map(({ status }) => status)).toEqual(['pass', 'fail', 'pass', 'pass']);
    expect(evaluation.results[1]).toBe(finished);
  });

  it('uses a failed look-up as an answer', () => {
    const evaluation = createEvaluation([compiled([needs('one')])], request, { phase: 'validate' });
    const [need] = evaluation.advance(new Map());
    evaluation.advance(new Map([[lookUpKey(need!), { ok: false, message: 'gone' }]]));
    expect(evaluation.results[0]).toMatchObject({ status: 'error', message: expect.stringContaining('gone') });
  });

  it('stops a rule whose look-ups are never answered', () => {
    const evaluation = createEvaluation([compiled([needs('one')])], request, { phase: 'validate' });
    let rounds = 0;
    while (evaluation.advance(new Map()).length > 0) rounds++;
    expect(rounds).toBeLessThan(16);
    expect(evaluation.results[0]).toMatchObject({ status: 'error', message: expect.stringContaining('look-ups') });
  });

  it('applies each mutation to the result of the one before, across policies', () => {
    const patch = (value: object) => ({ mutate: { patchStrategicMerge: { data: value } } });
    const first = compiled([patch({ b: '{{ request.object.data.a }}2' })], {}, 'first');
    const second = compiled([patch({ c: '{{ request.object.data.b }}3' })], {}, 'second');
    const evaluation = createEvaluation([first, second], request, { phase: 'mutate' });
    expect(evaluation.advance(new Map())).toEqual([]);
    expect(evaluation.object).toMatchObject({ data: { a: '1', b: '12', c: '123' } });
    expect(request.object).toMatchObject({ data: { a: '1' } });
  });

  it('applies one rule only with applyRules: One, and waits for the rules before it', () => {
    const deny = { validate: { message: 'm', deny: {} } };
    const evaluation = createEvaluation([compiled([needs('one'), deny, deny], { applyRules: 'One' })], request, {
      phase: 'validate',
    });
    const [need] = evaluation.advance(new Map());
    expect(evaluation.results).toEqual([]);
    evaluation.advance(new Map([[lookUpKey(need!), found]]));
    expect(evaluation.results.map(({ rule }) => rule.name)).toEqual(['r0']);
  });

  it('fails only the rule that throws', () => {
    const program = compiled([
      {
        validate: {
          message: 'm',
          deny: { conditions: { any: [{ key: '{{ request.object.nowhere }}', operator: 'Equals', value: 'x' }] } },
        },
      },
      { validate: { message: 'm', pattern: { data: { a: '1' } } } },
    ]);
    const evaluation = createEvaluation([program], request, { phase: 'validate' });
    evaluation.advance(new Map());
    expect(evaluation.results.map(({ status }) => status)).toEqual(['error', 'pass']);
  });

  it('records trace steps with explain', () => {
    const program = compiled([
      {
        validate: {
          message: 'm',
          deny: { conditions: { any: [{ key: '{{ request.object.data.a }}', operator: 'Equals', value: '1' }] } },
        },
      },
    ]);
    const evaluation = createEvaluation([program], request, { phase: 'validate', explain: true });
    evaluation.advance(new Map());
    expect(evaluation.results[0]?.steps).toMatchObject([
      { kind: 'condition', key: '1', value: '1', holds: true },
      { kind: 'conditions', hold: true },
    ]);
  });

  it('renders report properties, and omits them when a variable fails', () => {
    const rule = (value: string) => ({
      reportProperties: { of: value },
      validate: { message: 'm', pattern: { data: { a: '1' } } },
    });
    const evaluation = createEvaluation(
      [compiled([rule('{{ request.object.metadata.name }}'), rule('{{ request.object.nowhere }}')])],
      request,
      { phase: 'validate' },
    );
    evaluation.advance(new Map());
    expect(evaluation.results.map(({ properties }) => properties)).toEqual([{ of: 'x' }, undefined]);
  });
});

describe('an update of an object that already violated an enforced rule', () => {
  const denied = { validate: { failureAction: 'Enforce', message: 'no', deny: {} } };
  const statusOf = (rule: object, more: Partial<PolicyRequest> = {}) => {
    const update = { ...request, operation: 'UPDATE' as const, oldObject: request.object, ...more };
    const evaluation = createEvaluation([compiled([{ ...denied, ...rule }])], update, { phase: 'validate' });
    evaluation.advance(new Map());
    return evaluation.results.map(({ status }) => status);
  };

  it('is allowed', () => {
    expect(statusOf({})).toEqual(['skip']);
  });

  it('fails if the rule matches a subresource, which is never stored', () => {
    const kinds = ['StatefulSet/scale'];
    const object = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'x', namespace: 'default' } };
    const kind = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
    const scale = { kind, subresource: 'scale', object, oldObject: object };
    expect(statusOf({ match: { any: [{ resources: { kinds } }] } }, scale)).toEqual(['fail']);
  });

  it('fails if the rule matches a user, because another user may have created the object', () => {
    const info = { userInfo: { username: 'mallory', groups: [] }, roles: [], clusterRoles: [] };
    const subjects = [{ kind: 'User', name: 'mallory' }];
    expect(statusOf({ match: { any: [{ resources: { kinds: ['ConfigMap'] }, subjects }] } }, { info })).toEqual([
      'fail',
    ]);
  });
});
