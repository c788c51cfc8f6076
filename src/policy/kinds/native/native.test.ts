import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../object/index.ts';
import { compilePolicy, createEvaluation, type LookUp, type LookUpAnswer, lookUpKey } from '../../index.ts';

const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { replicas: 5 },
};

const policyOf = (kind: string, spec: object) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: 'p' },
  spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
});

const bindingOf = (kind: string, spec: object, name = 'b'): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}Binding`,
  metadata: { name },
  spec: { policyName: 'p', ...spec },
});

function run(kind: string, spec: object, bindings: readonly KubeObject[] = [], params: readonly unknown[] = []) {
  const { program, issues } = compilePolicy(policyOf(kind, spec), bindings);
  if (!program)
    return { results: issues.map(({ path, message }) => `${path}: ${message}`), object: undefined, asked: [] };
  const evaluation = createEvaluation(
    [program],
    {
      operation: 'CREATE',
      kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      subresource: '',
      object: deployment,
      namespaceLabels: {},
      uid: 'u',
      now: 0,
    },
    { phase: kind.startsWith('Mutating') ? 'mutate' : 'validate' },
  );
  const known = new Map<string, LookUpAnswer>();
  const asked: LookUp[] = [];
  for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known)) {
    asked.push(...needs);
    for (const need of needs) known.set(lookUpKey(need), { ok: true, value: params });
  }
  const results = evaluation.results.map(({ status, message, properties, rule: { name } }) => ({
    status,
    message,
    name,
    ...(properties && Object.keys(properties).length > 0 ? { properties } : {}),
  }));
  return { results, object: evaluation.object, asked };
}

describe('a ValidatingAdmissionPolicy on files', () => {
  const kind = 'ValidatingAdmissionPolicy';

  it('says that nobody answers for the authorizer', () => {
    const expression = "authorizer.group('').resource('pods').check('get').allowed()";
    const { issues } = compilePolicy(policyOf(kind, { validations: [{ expression }] }));
    expect(issues).toEqual([
      {
        severity: 'error',
        code: 'policy-unsupported',
        path: 'spec.validations[0].expression',
        message: 'the authorizer of CEL expressions is not available here',
      },
    ]);
  });

  const validations = [{ expression: 'object.spec.replicas <= 3', message: 'too many' }];

  it('is judged by its own constraints without a binding', () => {
    expect(run(kind, { validations }).results).toEqual([{ status: 'fail', message: 'too many', name: 'p' }]);
    expect(run(kind, { validations: [{ expression: 'true' }] }).results).toMatchObject([{ status: 'pass' }]);
  });

  it('is judged where a binding is for the object, and says which', () => {
    const bound = (namespaceSelector: object) => [bindingOf(kind, { matchResources: { namespaceSelector } })];
    expect(
      run(kind, { validations }, bound({ matchLabels: { 'kubernetes.io/metadata.name': 'shop' } })).results,
    ).toEqual([{ status: 'fail', message: 'too many', name: 'p', properties: { binding: 'b' } }]);
    expect(run(kind, { validations }, bound({ matchLabels: { x: 'y' } })).results).toEqual([]);
  });

  it('sees each parameter; a selector gives a list where the policy reads one', () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const byName = [bindingOf(kind, { paramRef: { name: 'limits', namespace: 'x' } })];
    const of = (expression: string) => ({ paramKind, validations: [{ expression }] });
    const { results, asked } = run(kind, of('object.spec.replicas <= int(params.data.max)'), byName, [
      { data: { max: '9' } },
    ]);
    expect(results).toMatchObject([{ status: 'pass' }]);
    expect(asked).toEqual([{ kind: 'resources', apiVersion: 'v1', resourceKind: 'ConfigMap', name: 'limits' }]);
    const selected = [bindingOf(kind, { paramRef: { selector: { matchLabels: { a: 'b' } } } })];
    const both = [{ data: { max: '9' } }, { data: { max: '1' } }];
    expect(run(kind, of('object.spec.replicas <= int(params.data.max)'), selected, both).results).toMatchObject([
      { status: 'fail' },
    ]);
    expect(run(kind, of('params.items.size() == 2'), selected, both).results).toMatchObject([{ status: 'pass' }]);
  });

  it('does as the binding says where there is no parameter', () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const bound = (parameterNotFoundAction: string) => [
      bindingOf(kind, { paramRef: { name: 'x', parameterNotFoundAction } }),
    ];
    expect(run(kind, { paramKind, validations }, bound('Deny')).results).toMatchObject([{ status: 'fail' }]);
    expect(run(kind, { paramKind, validations }, bound('Allow')).results).toEqual([]);
  });

  it('skips, errs and compiles as the API server has it', () => {
    const conditions = (expression: string) => ({ validations, matchConditions: [{ name: 'c', expression }] });
    expect(run(kind, conditions('false')).results).toMatchObject([{ status: 'skip' }]);
    expect(run(kind, conditions('object.nowhere == 1')).results).toMatchObject([{ status: 'error' }]);
    expect(run(kind, { validations: [{ expression: 'request.object == null' }] }).results).toEqual([
      expect.stringContaining("undefined field 'object'"),
    ]);
    expect(run(kind, { validations: [{ expression: "sha256('a') == ''" }] }).results).toEqual([
      expect.stringContaining("undeclared reference to 'sha256'"),
    ]);
  });
});

describe('a MutatingAdmissionPolicy on files', () => {
  const kind = 'MutatingAdmissionPolicy';

  it('changes the object, once for each binding', () => {
    const mutations = [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: object.spec.replicas + 1}}' },
      },
    ];
    expect(run(kind, { mutations }).object?.['spec']).toEqual({ replicas: 6 });
    const { object, results } = run(kind, { mutations }, [bindingOf(kind, {}), bindingOf(kind, {}, 'c')]);
    expect(object?.['spec']).toEqual({ replicas: 7 });
    expect(results).toMatchObject([{ status: 'pass', properties: { mapBinding: 'c' } }]);
  });
});
