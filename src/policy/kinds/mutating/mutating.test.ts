import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../object/index.ts';
import {
  compilePolicy,
  createEvaluation,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
  type PolicyRequest,
} from '../../index.ts';

const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] };
const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: [{ name: 'app', image: 'app:1' }] },
};

function policyOf(spec: object, kind = 'MutatingPolicy', name = 'p') {
  const namespace = kind.startsWith('Namespaced') ? { namespace: 'shop' } : {};
  const evaluation = 'targetMatchConstraints' in spec ? { evaluation: { mutateExisting: { enabled: true } } } : {};
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind,
    metadata: { name, ...namespace },
    spec: { matchConstraints: { resourceRules: [pods] }, ...evaluation, ...spec },
  };
}

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const issuesOf = (spec: object) =>
  compilePolicy(policyOf(spec)).issues.map(({ code, path, message }) => ({ code, path, message }));

function run(policies: readonly object[], more: Partial<PolicyRequest> = {}, answer?: (need: LookUp) => LookUpAnswer) {
  const programs = policies.map((policy) => {
    const { program, issues } = compilePolicy(policy);
    expect(issues).toEqual([]);
    return program!;
  });
  const request: PolicyRequest = {
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subresource: '',
    object: pod,
    namespaceLabels: {},
    uid: 'u',
    now: 0,
    ...more,
  };
  const evaluation = createEvaluation(programs, request, { phase: 'mutate' });
  const known = new Map<string, LookUpAnswer>();
  for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known)) {
    for (const need of needs) known.set(lookUpKey(need), answer?.(need) ?? { ok: false, message: 'no answer' });
  }
  const results = evaluation.results.map(({ status, message, ruleName, properties }) => ({
    status,
    message,
    ...(ruleName ? { ruleName } : {}),
    ...(properties ? { properties } : {}),
  }));
  return { results, object: evaluation.object, targets: evaluation.results[0]?.targets };
}

describe('a MutatingPolicy', () => {
  it('changes the object, each mutation and each policy on what those before have made of it', () => {
    const first = policyOf({
      mutations: [
        apply('Object{metadata: Object.metadata{labels: {"n": "1"}}}'),
        patch(
          '[JSONPatch{op: "replace", path: "/metadata/labels/n", value: string(int(object.metadata.labels.n) + 1)}]',
        ),
      ],
    });
    const second = policyOf(
      { mutations: [patch('[JSONPatch{op: "add", path: "/metadata/labels/m", value: object.metadata.labels.n}]')] },
      'MutatingPolicy',
      'q',
    );
    const { results, object } = run([first, second]);
    expect(results).toEqual([
      { status: 'pass', message: 'success' },
      { status: 'pass', message: 'success' },
    ]);
    expect(object?.metadata.labels).toEqual({ n: '2', m: '2' });
  });

  it('skips what its conditions do not name; they see variables', () => {
    const variables = [{ name: 'image', expression: 'object.spec.containers[0].image' }];
    const spec = (expression: string) => ({
      variables,
      matchConditions: [{ name: 'c', expression }],
      mutations: [apply('Object{metadata: Object.metadata{labels: {"image": variables.image}}}')],
    });
    expect(run([policyOf(spec("variables.image == 'other'"))]).results).toEqual([{ status: 'skip', message: 'skip' }]);
    expect(run([policyOf(spec("variables.image == 'app:1'"))]).object?.metadata.labels).toEqual({ image: 'app:1' });
    expect(run([policyOf(spec("object.nowhere == 'x'"))]).results).toEqual([
      { status: 'error', message: 'failed to evaluate policy: no such key: nowhere', ruleName: 'evaluation' },
    ]);
  });

  it('leaves the object as it was when a mutation cannot be applied', () => {
    const { results, object } = run([
      policyOf({
        mutations: [
          patch('[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]'),
          apply('Object{spec: Object.spec{tolerations: []}}'),
        ],
      }),
    ]);
    expect(results).toMatchObject([{ status: 'error', message: expect.stringContaining('may not mutate atomic') }]);
    expect(object).toBe(pod);
  });

  it('may replace what is atomic with useServerSideApply', () => {
    const mutations = [apply('Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "a"}]}}')];
    const { object } = run([policyOf({ mutations, evaluation: { useServerSideApply: true } })]);
    expect(object?.['spec']).toMatchObject({ tolerations: [{ key: 'a' }] });
  });

  it('does nothing on deletion', () => {
    const rules = { matchConstraints: { resourceRules: [{ ...pods, operations: ['*'] }] } };
    const policy = policyOf({ ...rules, mutations: [apply('Object{}')] });
    expect(run([policy], { operation: 'DELETE', object: undefined, oldObject: pod }).results).toEqual([]);
  });

  it('gives audit annotations to its result', () => {
    const auditAnnotations = [{ key: 'who', valueExpression: 'string(object.metadata.labels.a)' }];
    const mutations = [apply('Object{metadata: Object.metadata{labels: {"a": "b"}}}')];
    expect(run([policyOf({ mutations, auditAnnotations })]).results).toMatchObject([{ properties: { who: 'b' } }]);
  });

  it('is derived for controllers: conditions and apply configurations only', () => {
    const template = { metadata: {}, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
    const deployment = {
      kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd', namespace: 'shop' },
        spec: { template },
      },
    };
    const mutations = [
      apply(
        `Object{spec: Object.spec{containers: object.spec.containers.map(c,
          Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}}`,
      ),
    ];
    const matchConditions = [{ name: 'c', expression: 'size(object.spec.containers) == 1' }];
    expect(run([policyOf({ mutations, matchConditions })], deployment).object).toMatchObject({
      spec: { template: { spec: { containers: [{ name: 'app', image: 'app:1', imagePullPolicy: 'Always' }] } } },
    });
    const cronJob = {
      kind: { group: 'batch', version: 'v1', kind: 'CronJob' },
      object: {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'd', namespace: 'shop' },
        spec: { jobTemplate: { spec: { template } } },
      },
    };
    expect(run([policyOf({ mutations })], cronJob).object).toMatchObject({
      spec: { jobTemplate: { spec: { template: { spec: { containers: [{ imagePullPolicy: 'Always' }] } } } } },
    });
    const none = { autogen: { podControllers: { controllers: [] } } };
    expect(run([policyOf({ mutations, ...none })], deployment).results).toEqual([]);
  });

  it('is refused when an expression is not of the type of its place', () => {
    expect(issuesOf({ mutations: [apply('{"a": "b"}')] })).toMatchObject([
      { code: 'policy-expression', path: 'spec.mutations[0].applyConfiguration.expression' },
    ]);
    expect(issuesOf({ mutations: [patch('[Object{}]')] })).toMatchObject([
      { path: 'spec.mutations[0].jsonPatch.expression' },
    ]);
    expect(issuesOf({ mutations: [{ patchType: 'JSONPatch' }] })).toMatchObject([{ code: 'policy-field-required' }]);
    expect(issuesOf({})).toMatchObject([{ code: 'policy-field-required', path: 'spec.mutations' }]);
    const mutations = [apply('Object{}')];
    expect(issuesOf({ mutations, matchConstraints: {} })).toMatchObject([
      { code: 'policy-field-required', path: 'spec.matchConstraints.resourceRules' },
    ]);
    const evaluation = { admission: { enabled: false } };
    expect(issuesOf({ mutations, evaluation })).toMatchObject([
      { code: 'policy-field-conflict', path: 'spec.evaluation' },
    ]);
    expect(issuesOf({ mutations, evaluation: { mode: 'JSON' } })).toMatchObject([
      { code: 'policy-unsupported', path: 'spec.evaluation.mode' },
    ]);
  });
});

describe('an apply configuration for a custom kind', () => {
  const widgets = { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] };
  const texts = { type: 'array', items: { type: 'string' } };
  const parts = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } };
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          parts: {
            type: 'array',
            items: parts,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
          tags: { ...texts, 'x-kubernetes-list-type': 'set' },
          order: texts,
        },
      },
    },
  };
  const widget = {
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    object: {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { parts: [{ name: 'a', size: 1 }, { name: 'b' }], tags: ['x'] },
    },
  };
  const policy = (configuration: string) =>
    policyOf({ matchConstraints: { resourceRules: [widgets] }, mutations: [apply(`Object{spec: ${configuration}}`)] });
  const answer = (value: unknown) => () => ({ ok: true, value }) as const;

  it('is merged by the lists of its definition, which is looked up', () => {
    const asked: LookUp[] = [];
    const configuration = "Object.spec{parts: [Object.spec.parts{name: 'b', size: 2}], tags: ['y']}";
    const { object } = run([policy(configuration)], widget, (need) => {
      asked.push(need);
      return { ok: true, value: schema };
    });
    expect(asked).toEqual([{ kind: 'schema', apiVersion: 'example.com/v1', resourceKind: 'Widget' }]);
    expect(object?.['spec']).toEqual({
      parts: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
      ],
      tags: ['x', 'y'],
    });
  });

  it('is refused with fields that the definition does not have, and for lists that are one value', () => {
    expect(run([policy("Object.spec{colour: 'red'}")], widget, answer(schema)).results).toMatchObject([
      { status: 'error', message: expect.stringContaining('.spec.colour: field not declared in schema') },
    ]);
    expect(run([policy("Object.spec{order: ['a']}")], widget, answer(schema)).results).toMatchObject([
      {
        status: 'error',
        message: expect.stringContaining('may not mutate atomic arrays, maps or structs: .spec.order'),
      },
    ]);
  });

  it('is merged field by field without a definition, and not at all when that cannot be known', () => {
    expect(run([policy("Object.spec{colour: 'red'}")], widget, answer(null)).object?.['spec']).toMatchObject({
      colour: 'red',
      tags: ['x'],
    });
    expect(run([policy("Object.spec{colour: 'red'}")], widget).results).toMatchObject([
      {
        status: 'error',
        message: expect.stringContaining('the schema of example.com/v1 Widget is not known: no answer'),
      },
    ]);
  });
});

describe('a MutatingPolicy with targets', () => {
  const maps = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const map = (name: string, namespace = 'shop', labels: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
  });
  const mutations = [
    apply('Object{metadata: Object.metadata{labels: {"from": object.metadata.name + request.object.metadata.name}}}'),
  ];

  it('changes the objects that its target constraints select, and not the one that triggers it', () => {
    const spec = {
      mutations,
      targetMatchConstraints: { resourceRules: [maps], objectSelector: { matchLabels: { x: 'y' } } },
      targetMatchConditions: [{ name: 'c', expression: "object.metadata.name != 'c'" }],
    };
    const asked: LookUp[] = [];
    const { results, object, targets } = run([policyOf(spec)], {}, (need) => {
      asked.push(need);
      return { ok: true, value: [map('a', 'shop', { x: 'y' }), map('b'), map('c', 'shop', { x: 'y' })] };
    });
    expect(asked).toEqual([{ kind: 'resources', apiVersion: 'v1', resourceKind: '', resource: 'configmaps' }]);
    expect(results).toEqual([{ status: 'pass', message: 'success' }]);
    expect(object).toBe(pod);
    expect(targets).toEqual([map('a', 'shop', { x: 'y', from: 'aweb' })]);
  });

  it('takes them from an expression, and leaves out what stays as it is', () => {
    const expression = "resource.List('v1', 'configmaps', object.metadata.namespace)";
    const { targets } = run([policyOf({ mutations, targetMatchConstraints: { expression } })], {}, () => ({
      ok: true,
      value: { apiVersion: 'v1', kind: 'ConfigMapList', items: [map('a'), map('b', 'shop', { from: 'bweb' })] },
    }));
    expect(targets).toMatchObject([{ metadata: { name: 'a', labels: { from: 'aweb' } } }]);
  });

  it('takes them from an expression that sees the object of a deletion', () => {
    const expression = "resource.Get('v1', 'configmaps', object.metadata.namespace, 'a')";
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] };
    const matchConstraints = { resourceRules: [rule] };
    const deleted = { operation: 'DELETE', object: undefined, oldObject: pod } as const;
    const { results, targets } = run(
      [
        policyOf({
          matchConstraints,
          mutations: [patch("[JSONPatch{op: 'add', path: '/data', value: {'a': 'b'}}]")],
          targetMatchConstraints: { expression },
        }),
      ],
      deleted,
      () => ({ ok: true, value: map('a') }),
    );
    expect(results).toEqual([{ status: 'pass', message: 'success' }]);
    expect(targets).toMatchObject([{ metadata: { name: 'a' }, data: { a: 'b' } }]);
  });

  it('changes nothing outside the namespace of a namespaced policy', () => {
    const byRule = policyOf(
      { mutations, targetMatchConstraints: { resourceRules: [maps] } },
      'NamespacedMutatingPolicy',
    );
    const asked: LookUp[] = [];
    const answer = (need: LookUp): LookUpAnswer => {
      asked.push(need);
      return { ok: true, value: [map('a'), map('b', 'bank')] };
    };
    expect(run([byRule], {}, answer).targets?.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(asked).toMatchObject([{ namespace: 'shop', policyNamespace: 'shop' }]);
    const expression = 'json.unmarshal(\'{"apiVersion": "v1"}\').orValue({\'a\': dyn(1)})';
    expect(issuesOf({ mutations, targetMatchConstraints: { expression } })).toMatchObject([
      { code: 'policy-expression', path: 'spec.targetMatchConstraints.expression' },
    ]);
    const byExpression = policyOf(
      { mutations, targetMatchConstraints: { expression: "resource.List('v1', 'configmaps')" } },
      'NamespacedMutatingPolicy',
    );
    const { results } = run([byExpression], {}, () => ({
      ok: true,
      value: { apiVersion: 'v1', kind: 'ConfigMapList', items: [map('b', 'bank')] },
    }));
    expect(results).toMatchObject([{ status: 'error', message: expect.stringContaining('outside of it') }]);
  });

  it('must not make another object of a target', () => {
    const renames = [patch('[JSONPatch{op: "replace", path: "/metadata/name", value: "x"}]')];
    const { results, targets } = run(
      [policyOf({ mutations: renames, targetMatchConstraints: { resourceRules: [maps] } })],
      {},
      () => ({ ok: true, value: [map('a')] }),
    );
    expect(results).toMatchObject([{ status: 'error', message: expect.stringContaining('must not change the kind') }]);
    expect(targets).toEqual([]);
  });

  it('are selected by the labels of their namespaces', () => {
    const targetMatchConstraints = { resourceRules: [maps], namespaceSelector: { matchLabels: { team: 'a' } } };
    const namespace = (name: string, labels: Record<string, string>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    });
    const answer = (need: LookUp): LookUpAnswer => ({
      ok: true,
      value:
        need.kind === 'resources' && need.resource === 'namespaces'
          ? [namespace('shop', { team: 'b' }), namespace('bank', { team: 'a' })]
          : [map('a'), map('b', 'bank'), map('c', 'unknown')],
    });
    const { targets } = run([policyOf({ mutations, targetMatchConstraints })], {}, answer);
    expect(targets?.map(({ metadata }) => metadata.name)).toEqual(['b']);
    const asked: LookUp[] = [];
    run([policyOf({ mutations, targetMatchConstraints }, 'NamespacedMutatingPolicy')], {}, (need) => {
      asked.push(need);
      return { ok: true, value: [] };
    });
    expect(asked).toMatchObject([{ resource: 'configmaps', namespace: 'shop' }]);
  });

  it('need a policy that is evaluated at all', () => {
    const off = { admission: { enabled: false } };
    expect(issuesOf({ mutations, evaluation: off })).toMatchObject([{ path: 'spec.evaluation' }]);
    expect(issuesOf({ mutations, evaluation: { ...off, mutateExisting: { enabled: true } } })).toEqual([]);
  });

  it('need mutateExisting in a cluster, which a warning says', () => {
    const targetMatchConstraints = { resourceRules: [maps] };
    expect(issuesOf({ mutations, targetMatchConstraints, evaluation: {} })).toMatchObject([
      { code: 'policy-field-conflict', path: 'spec.targetMatchConstraints' },
    ]);
    expect(compilePolicy(policyOf({ mutations, targetMatchConstraints, evaluation: {} })).program).toBeDefined();
  });

  it('are named without stars', () => {
    const constraints = { resourceRules: [{ ...maps, resources: ['*'] }] };
    expect(issuesOf({ mutations, targetMatchConstraints: constraints })).toMatchObject([
      { code: 'policy-unsupported' },
    ]);
  });
});
