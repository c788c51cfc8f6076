import { describe, expect, it } from 'vitest';
import { compileException, compilePolicy, createEvaluation, lookUpKey, type PolicyRequest } from '../index.ts';
import { evaluateAll } from '../testing/evaluate-all.ts';

const policyOf = (kind: string, spec: object) => ({
  apiVersion: 'policies.kyverno.io/v1',
  kind,
  metadata: { name: 'hostile', namespace: 'shop' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    ...spec,
  },
});
const patchOf = (expression: string, times = 1) =>
  policyOf('NamespacedMutatingPolicy', {
    mutations: Array.from({ length: times }, () => ({ patchType: 'JSONPatch', jsonPatch: { expression } })),
  });
const applyOf = (expression: string, times: number) =>
  policyOf('NamespacedMutatingPolicy', {
    mutations: Array.from({ length: times }, () => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression },
    })),
  });
const keys = (length: number, value: unknown = 'v') =>
  Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, value]));

const requestOf = (data: unknown): PolicyRequest => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps' },
  subresource: '',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'shop' }, data } as never,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
});

function outcomeOf(policy: object, data: unknown) {
  const { program, issues } = compilePolicy(policy);
  expect(issues).toEqual([]);
  const { rules } = evaluateAll([program!], requestOf(data));
  expect(rules).toHaveLength(1);
  return rules[0]!;
}

it.each([
  [
    'a thousand copies of a map',
    patchOf('lists.range(1000).map(i, JSONPatch{op: "add", path: "/data/x" + string(i), value: object.data})'),
    keys(1_000),
  ],
  [
    'nine thousand comparisons of a map',
    patchOf('lists.range(9000).map(i, JSONPatch{op: "test", path: "/data", value: object.data})'),
    keys(2_000),
  ],
  [
    'nine thousand values before all others of a list',
    patchOf('lists.range(9000).map(i, JSONPatch{op: "add", path: "/data/k0/0", value: 1})'),
    keys(1, Array(100_000).fill('v')),
  ],
  [
    'a value of lists that are shared',
    patchOf(`[JSONPatch{op: "add", path: "/data/x",
      value: Object.data{y: lists.range(600).map(i, lists.range(600).map(j, object.data))}}]`),
    keys(1_000),
  ],
  [
    'a large value again and again',
    patchOf('[JSONPatch{op: "add", path: "/data/z", value: object.data}]', 100),
    keys(500),
  ],
  [
    'long texts',
    patchOf('lists.range(100).map(i, JSONPatch{op: "add", path: "/data/x" + string(i), value: object.data.k0})'),
    keys(1, 'v'.repeat(100_000)),
  ],
  ['a large object merged again and again', applyOf('Object{data: {"z": "1"}}', 100), keys(5_000)],
])('the budget of a namespaced policy ends %s', (_, policy, data) => {
  expect(outcomeOf(policy, data)).toMatchObject({
    status: 'error',
    message: expect.stringContaining('too much work'),
  });
});

it('the budget of a namespaced policy suffices to change every container of a large Pod', () => {
  const data = {
    containers: Array.from({ length: 40 }, (_, i) => ({ name: `c${i}`, env: Array(50).fill({ name: 'a' }) })),
  };
  const patch = `object.data.containers.map(c, JSONPatch{op: "add", path: "/data/" + c.name, value: "x"})`;
  expect(outcomeOf(patchOf(patch), data).status).toBe('pass');
  expect(outcomeOf(applyOf('Object{data: {"z": "1"}}', 2), data).status).toBe('pass');
});

it('a message is cut before anything keeps it', () => {
  const policy = policyOf('NamespacedValidatingPolicy', {
    validations: [{ expression: 'false', messageExpression: '"aaaaaaaaaaaaaaaaaaaa".replace("a", object.data.k0)' }],
  });
  expect(outcomeOf(policy, keys(1, 'v'.repeat(500_000))).message).toBe(`${'v'.repeat(5_120)}…`);
});

it('a policy and an exception that would take long to compile are refused', () => {
  const validating = (length: number, expression: string) =>
    compilePolicy(
      policyOf('NamespacedValidatingPolicy', { validations: Array.from({ length }, () => ({ expression })) }),
    );
  const many = { code: 'policy-limit', message: 'there are 301 expressions; at most 300 are allowed' };
  const long = { code: 'policy-limit', message: expect.stringContaining('at most 131072 are allowed') };
  expect(validating(300, 'true').issues).toEqual([]);
  expect(validating(301, 'true').issues).toMatchObject([many]);
  expect(validating(2, `[${'1,'.repeat(40_000)}1] != []`).issues).toMatchObject([long]);
  const matchConditions = Array.from({ length: 301 }, (_, i) => ({ name: `c${i}`, expression: 'true' }));
  const exception = compileException({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'PolicyException',
    metadata: { name: 'hostile', namespace: 'shop' },
    spec: { policyRefs: [{ kind: 'NamespacedValidatingPolicy', name: 'p' }], matchConditions },
  });
  expect(exception).toMatchObject({ program: undefined, issues: [many] });
});

describe('the look-ups of one policy on one request', () => {
  const evaluate = (expression: string) => {
    const { program, issues } = compilePolicy(
      policyOf('NamespacedValidatingPolicy', { validations: [{ expression }] }),
    );
    expect(issues).toEqual([]);
    return createEvaluation([program!], requestOf({}), { phase: 'validate' });
  };

  it('are at most 256, whatever else is asked for', () => {
    const evaluation = evaluate(
      'lists.range(1000).all(i, dyn(resource.Get("v1", "configmaps", "x" + string(i))) == null)',
    );
    const needs = evaluation.advance(new Map());
    expect(needs).toHaveLength(256);
    const known = new Map(needs.map((need) => [lookUpKey(need), { ok: true, value: null } as const]));
    expect(evaluation.advance(known)).toEqual([]);
    expect(evaluation.results).toMatchObject([
      { status: 'error', message: expect.stringMatching(/more than 256 things|too much work/) },
    ]);
  });

  it('are one where they are equal', () => {
    expect(
      evaluate('lists.range(500).all(i, dyn(resource.Get("v1", "configmaps", "x")) == null)').advance(new Map()),
    ).toHaveLength(1);
  });

  it('cost work, so that a loop of them ends', () => {
    const evaluation = evaluate(
      'lists.range(50000).all(i, dyn(resource.Get("v1", "configmaps", "x" + string(i))) == null)',
    );
    expect(evaluation.advance(new Map())).toEqual([]);
    expect(evaluation.results).toMatchObject([{ status: 'error', message: expect.stringContaining('too much work') }]);
  });
});

it.each([
  ['parses YAML', 5_000, 'yaml.parse("{a: [1, {b: [c, d, e, f]}]}") != null', {}],
  ['makes random texts', 100, 'random("[a-z]{1000}") != ""', {}],
  ['hashes a large text', 100, 'sha256(string(object.data.k0)) != ""', keys(1, 'v'.repeat(900_000))],
  [
    'makes maps',
    20,
    'listObjToMap(object.data.k0, object.data.k0, "k0", "k0") != {}',
    keys(1, Array(5_000).fill(keys(1))),
  ],
])('a loop that %s ends', (_, times, expression, data) => {
  const policy = policyOf('NamespacedValidatingPolicy', {
    validations: [{ expression: `lists.range(${times}).all(x, ${expression})` }],
  });
  expect(outcomeOf(policy, data)).toMatchObject({
    status: 'error',
    message: expect.stringMatching(/too much work|cost limit/),
  });
});

it('a policy of a namespace moves no object out of it', () => {
  const moved = patchOf('[JSONPatch{op: "replace", path: "/metadata/namespace", value: "kube-system"}]');
  expect(outcomeOf(moved, {})).toMatchObject({
    status: 'error',
    message: expect.stringContaining('may not change the namespace of an object'),
  });
});
