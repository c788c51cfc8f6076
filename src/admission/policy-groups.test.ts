import { describe, expect, it } from 'vitest';
import { compileException, compilePolicy, type ExceptionProgram } from '../policy/index.ts';
import { createPolicySet } from '../runtime/index.ts';
import { groupsOf } from './policy-groups.ts';

const match = { any: [{ resources: { kinds: ['ConfigMap'] } }] };
const validate = { message: 'm', pattern: { data: { a: 'b' } } };
const program = (
  name: string,
  spec: object,
  rules: readonly object[] = [{ name: 'r', match, validate }],
  namespace?: string,
) => {
  const { program: made, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { rules, ...spec },
  });
  if (!made) throw new Error(JSON.stringify(issues));
  return made;
};
const groups = (...programs: readonly ReturnType<typeof program>[]) => [
  ...groupsOf(createPolicySet(programs)).values(),
];

describe('policy groups', () => {
  it('are formed by failure policy, with the longest time-out of their members', () => {
    const made = groups(
      program('a', {}),
      program('b', { webhookTimeoutSeconds: 20 }),
      program('c', { failurePolicy: 'Ignore' }),
      program('d', { webhookConfiguration: { failurePolicy: 'Ignore', timeoutSeconds: 5 } }),
    );
    expect(
      made.map(({ route, timeoutSeconds, programs }) => [route, timeoutSeconds, programs.map(({ key }) => key)]),
    ).toEqual([
      ['fail', 20, ['a', 'b']],
      ['ignore', 10, ['c', 'd']],
    ]);
  });

  it('do not share time-outs between namespaces', () => {
    const made = groups(
      program('a', { webhookTimeoutSeconds: 3 }),
      program('b', { webhookTimeoutSeconds: 30 }, undefined, 'shop'),
      program('c', { webhookTimeoutSeconds: 5 }, undefined, 'bank'),
    );
    expect(made.map(({ route, timeoutSeconds, namespace }) => [route, timeoutSeconds, namespace])).toEqual([
      ['fail', 3, undefined],
      ['fail/namespace/bank', 5, 'bank'],
      ['fail/namespace/shop', 30, 'shop'],
    ]);
  });

  it('never share a route between a ClusterPolicy and a Policy, whatever their names', () => {
    const webhookConfiguration = { matchConditions: [{ name: 'x', expression: 'true' }] };
    const made = groups(
      program('a.shop', { webhookConfiguration }),
      program('a', { webhookConfiguration }, undefined, 'shop'),
      program('shop', {}, undefined, 'shop'),
    );
    expect(made.map(({ route }) => route)).toEqual([
      'fail/policy/a.shop',
      'fail/namespace/shop/policy/a',
      'fail/namespace/shop',
    ]);
  });

  it('are separate for policies with match conditions', () => {
    const matchConditions = [{ name: 'x', expression: 'true' }];
    const [group] = groups(program('a', { webhookConfiguration: { matchConditions } }));
    expect(group).toMatchObject({ route: 'fail/policy/a', matchConditions });
  });

  it('are separate where the API server must ask otherwise', () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const ofKind = (kind: string, name: string, spec: object, matchPolicy?: string) => {
      const matchConstraints = { resourceRules: [rule], ...(matchPolicy ? { matchPolicy } : {}) };
      const { program: made, issues } = compilePolicy({
        apiVersion: 'policies.kyverno.io/v1',
        kind,
        metadata: { name, ...(kind.startsWith('Namespaced') ? { namespace: 'shop' } : {}) },
        spec: { matchConstraints, ...spec },
      });
      if (!made) throw new Error(JSON.stringify(issues));
      return made;
    };
    const validations = [{ expression: 'true' }];
    const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }];
    const made = groups(
      program('a', {}),
      ofKind('ValidatingPolicy', 'b', { validations }),
      ofKind('ValidatingPolicy', 'c', { validations }, 'Exact'),
      ofKind('MutatingPolicy', 'd', { mutations }),
      ofKind('MutatingPolicy', 'e', { mutations, reinvocationPolicy: 'IfNeeded' }, 'Equivalent'),
      ofKind('NamespacedMutatingPolicy', 'f', { mutations }, 'Exact'),
    );
    const seen = made.map(({ route, matchPolicy, reinvocationPolicy, programs }) =>
      [route, matchPolicy, reinvocationPolicy, ...programs.map(({ policy }) => policy.metadata.name).sort()].join(' '),
    );
    expect(seen.sort()).toEqual([
      'fail Equivalent IfNeeded a b e',
      'fail/exact Exact IfNeeded c',
      'fail/namespace/shop/exact/once Exact Never f',
      'fail/once Equivalent Never d',
    ]);
  });

  it('have no conditions of a policy that an exception names, where a failing one would refuse', () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const conditional = (failurePolicy: string) => {
      const { program: made, issues } = compilePolicy({
        apiVersion: 'policies.kyverno.io/v1',
        kind: 'ValidatingPolicy',
        metadata: { name: 'a' },
        spec: {
          failurePolicy,
          matchConstraints: { resourceRules: [rule] },
          matchConditions: [{ name: 'x', expression: "object.metadata.labels.a == 'b'" }],
          validations: [{ expression: 'true' }],
        },
      });
      if (!made) throw new Error(JSON.stringify(issues));
      return made;
    };
    const { program: exception } = compileException({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'PolicyException',
      metadata: { name: 'e', namespace: 'default' },
      spec: { policyRefs: [{ name: 'a', kind: 'ValidatingPolicy' }] },
    });
    const conditionsOf = (failurePolicy: string, exceptions: readonly ExceptionProgram[]) =>
      [...groupsOf(createPolicySet([conditional(failurePolicy)], exceptions)).values()].flatMap(({ matchConditions }) =>
        matchConditions.map(({ name }) => name),
      );
    expect(conditionsOf('Fail', [])).toEqual(['x']);
    expect(conditionsOf('Fail', [exception!])).toEqual([]);
    expect(conditionsOf('Ignore', [exception!])).toEqual(['x']);
  });

  it('contain no policy without admission rules', () => {
    const generate = {
      name: 'g',
      match,
      generate: { apiVersion: 'v1', kind: 'Secret', name: 's', namespace: 'd', data: {} },
    };
    expect(groups(program('a', { admission: false }), program('b', {}, [generate]))).toEqual([]);
  });

  it('evaluate rules that may deny or warn before the response, and the others after it', () => {
    const rules = [
      { name: 'audit', match, validate },
      { name: 'enforce', match, validate: { ...validate, failureAction: 'Enforce' } },
      {
        name: 'override',
        match,
        validate: { ...validate, failureActionOverrides: [{ action: 'Enforce', namespaces: ['x'] }] },
      },
    ];
    const split = (...of: Parameters<typeof program>) => {
      const [group] = groups(program(...of));
      return [group!.beforeResponse, group!.afterResponse].map(({ programs }) =>
        programs.flatMap((p) => p.rules.map(({ name }) => name)),
      );
    };
    expect(split('a', {}, rules)).toEqual([['enforce', 'override'], ['audit']]);
    expect(split('a', { emitWarning: true }, rules)).toEqual([['audit', 'enforce', 'override'], []]);
    expect(split('a', { applyRules: 'One' }, rules)).toEqual([['audit', 'enforce', 'override'], []]);
  });
});
