import fc from 'fast-check';
import { booleans, expressions } from './arbitrary-expression.ts';

const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 1, nil: undefined });
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 2 });
const named = (expression: fc.Arbitrary<string>) =>
  few(expression).map((all) => all.map((each, i) => ({ name: `n${i}`, expression: each })));

const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
const common = {
  matchConstraints: fc.constant({ resourceRules: everything }),
  matchConditions: rarely(named(booleans)),
  variables: expressions.map((expression) => [{ name: 'v', expression }]),
  failurePolicy: rarely(fc.constantFrom('Fail', 'Ignore')),
};

const validation = fc.record(
  { expression: booleans, message: fc.string(), messageExpression: expressions },
  { requiredKeys: ['expression'] },
);
const validating = fc.record({
  ...common,
  validations: few(validation),
  auditAnnotations: rarely(
    few(fc.record({ key: fc.constant('k'), valueExpression: expressions.map((each) => `string(${each})`) })),
  ),
});

const paths = fc.constantFrom("'/metadata/labels/a'", "'/spec'", "'/data/' + 'a'", "'bad'", "''", "'/a/-'", 'dyn(1)');
const patches = fc
  .tuple(fc.constantFrom('add', 'replace', 'remove', 'test', 'move', 'other'), paths, expressions)
  .map(([op, path, value]) => `[JSONPatch{op: '${op}', path: ${path}, from: '/metadata', value: ${value}}]`);
const configurations = fc.oneof(
  expressions.map((value) => `Object{metadata: Object.metadata{labels: {'a': string(${value})}}}`),
  expressions.map(
    (value) => `Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', image: dyn(${value})}]}}`,
  ),
  expressions.map((value) => `Object{data: ${value}}`),
  fc.constantFrom(
    'Object{spec: Object.wrong{}}',
    'Object{metadata: Object.metadata{namespace: "x"}}',
    'Object{a: null}',
  ),
  expressions,
);
const mutation = fc.oneof(
  patches.map((expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })),
  configurations.map((expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })),
);
const mutating = fc.record({ ...common, mutations: few(mutation) });

const made = (value: string) =>
  `{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': dyn({'name': 'made'}), 'data': dyn(${value})}`;
const generation = fc.oneof(
  expressions.map((value) => ({ expression: `generator.Apply('default', [${made(value)}])` })),
  expressions.map((value) => ({ expression: `generator.Apply('default', [${value}])` })),
  fc.tuple(expressions, expressions).map(([a, b]) => ({
    template: {
      interpolate: 'cel',
      value: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made, namespace: default}\ndata:\n  a: (( ${a} ))\n  b: "x (( ${b} ))"\n`,
    },
  })),
);
const generating = fc.record({ ...common, generate: few(generation) });
const deleting = fc.record({
  schedule: fc.constantFrom('* * * * *', '@every 1s', 'bad'),
  matchConstraints: common.matchConstraints,
  variables: common.variables,
  conditions: named(booleans),
});

const kinds: readonly (readonly [kind: string, spec: fc.Arbitrary<object>])[] = [
  ['ValidatingPolicy', validating],
  ['MutatingPolicy', mutating],
  ['GeneratingPolicy', generating],
  ['DeletingPolicy', deleting],
];

/** Policies of `policies.kyverno.io`, of the cluster and of a namespace. */
export const kindPolicies: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(fc.oneof(...kinds.map(([kind, specs]) => specs.map((spec) => ({ kind, spec })))), fc.boolean())
  .map(([{ kind, spec }, isNamespaced]) =>
    parsed({
      apiVersion: 'policies.kyverno.io/v1',
      kind: isNamespaced ? `Namespaced${kind}` : kind,
      metadata: { name: 'random', ...(isNamespaced ? { namespace: 'default' } : {}) },
      spec,
    }),
  );

/** Classic policies whose rules are expressions. */
export const celRules: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    name: fc.constant('r'),
    match: fc.constant({ any: [{ resources: { kinds: ['*'] } }] }),
    celPreconditions: named(booleans),
    validate: fc.record({ cel: fc.record({ expressions: few(validation), variables: common.variables }) }),
  })
  .map((rule) =>
    parsed({
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: { name: 'random' },
      spec: { background: false, rules: [rule] },
    }),
  );

/** As it comes from JSON: without fields that are undefined. */
const parsed = (document: object) => JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
