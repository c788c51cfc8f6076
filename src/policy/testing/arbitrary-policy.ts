import fc from 'fast-check';
import { asParsed, type Documents, inLoop, outside, plainTexts, texts } from './arbitrary-values.ts';

/** Left out most of the time: what narrows a rule hides the rule. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Policies of every rule type, most of them valid, though none is what a person would write. */
const resources = fc.record({
  kinds: fc.oneof(
    { weight: 3, arbitrary: fc.constant(['Pod', 'ConfigMap', 'Deployment']) },
    fc.array(fc.constantFrom('Pod', 'CronJob', 'v1/Pod', 'apps/*/Deployment', '*Set'), { minLength: 1, maxLength: 3 }),
  ),
  names: rarely(fc.array(fc.constantFrom('*', 'web', 'a-?'), { maxLength: 2 })),
  operations: rarely(fc.subarray(['CREATE', 'UPDATE', 'DELETE'] as const, { minLength: 1 })),
  selector: rarely(fc.record({ matchLabels: fc.constantFrom({ app: 'web' }, { 'ti*': '*' }) })),
  annotations: rarely(fc.dictionary(fc.constantFrom('a', 'b*'), fc.constantFrom('x', '*'))),
});
const filter = fc.record({
  resources,
  clusterRoles: rarely(fc.constant(['admin'])),
  subjects: rarely(fc.constant([{ kind: 'User', name: '*' }])),
});
const match = fc.oneof(
  { weight: 4, arbitrary: fc.record({ any: fc.array(filter, { minLength: 1, maxLength: 2 }) }) },
  fc.record({ all: fc.array(filter, { minLength: 1, maxLength: 2 }) }),
  filter,
);

const operators = fc.constantFrom(
  ...['Equals', 'NotEquals', 'AnyIn', 'AllIn', 'AnyNotIn', 'AllNotIn', 'In', 'NotIn', 'GreaterThan'],
  ...['GreaterThanOrEquals', 'LessThan', 'LessThanOrEquals', 'DurationGreaterThan', 'DurationLessThanOrEquals'],
);
const conditionsOf = ({ text, value }: Documents) => {
  const condition = fc.record(
    { key: fc.oneof(text, value), operator: operators, value: fc.oneof(text, value), message: plainTexts },
    { requiredKeys: ['key', 'operator', 'value'] },
  );
  const list = fc.array(condition, { maxLength: 2 });
  return fc.record({ any: list, all: list }, { requiredKeys: [] });
};

/** Every entry that the generated variables name, each of any source that can have it. */
const context = fc.tuple(
  fc.oneof(
    fc.record({
      name: fc.constant('one'),
      variable: fc.record(
        { jmesPath: fc.constantFrom('request.object.spec', 'request.object.missing'), default: outside.data },
        { requiredKeys: ['jmesPath'] },
      ),
    }),
    fc.record({
      name: fc.constant('one'),
      variable: fc.record({ value: fc.constantFrom('x', { web: [1] }, ['{{ request.namespace }}']) }),
    }),
    fc.record({
      name: fc.constant('one'),
      imageRegistry: fc.record({ reference: fc.constantFrom('nginx', '{{ request.object.spec.a }}') }),
    }),
  ),
  fc.record({
    name: fc.constant('settings'),
    configMap: fc.record({
      name: fc.constantFrom('x', '{{ request.object.metadata.name }}'),
      namespace: fc.constant('default'),
    }),
  }),
  fc.record({
    name: fc.constant('called'),
    apiCall: fc.record(
      {
        urlPath: fc.constantFrom('/api/v1/pods', '/api/{{ request.namespace }}'),
        jmesPath: fc.constantFrom('@', 'length(@)', '{items: items}'),
        default: outside.data,
      },
      { requiredKeys: ['urlPath'] },
    ),
  }),
);

const lists = fc.constantFrom(
  ...[
    'request.object.spec.containers',
    'request.object.spec',
    "items(request.object, 'k', 'v')",
    'request.object.missing',
  ],
  ...['`[1,null,{"a":[]}]`', 'request.object.spec.containers[].name', 'to_array(request.object)', 'to_upper(`1`)'],
);
const loopsOf = <T extends object>(body: fc.Arbitrary<T>) =>
  fc.array(
    fc
      .tuple(fc.record({ list: lists, preconditions: rarely(conditionsOf(inLoop)) }), body)
      .map(([head, rest]) => ({ ...head, ...rest })),
    { minLength: 1, maxLength: 2 },
  );
const nestedOf = <T extends object>(body: fc.Arbitrary<T>) =>
  fc.oneof(loopsOf(body), fc.array(fc.record({ list: lists, foreach: loopsOf(body) }), { minLength: 1, maxLength: 2 }));

const checksOf = (documents: Documents) =>
  fc.oneof(
    fc.record({ pattern: documents.pattern }),
    fc.record({ anyPattern: fc.array(documents.pattern, { minLength: 1, maxLength: 3 }) }),
    fc.record({ deny: fc.record({ conditions: conditionsOf(documents) }) }),
  );
const controls = fc.constantFrom('Host Namespaces', 'HostPath Volumes', 'Sysctls', 'SELinux', 'Seccomp', 'AppArmor');
const podSecurity = fc.record(
  {
    level: fc.constantFrom('baseline', 'restricted', 'privileged'),
    version: fc.constantFrom('latest', 'v1.24'),
    exclude: fc.array(fc.record({ controlName: controls }), { maxLength: 2 }),
  },
  { requiredKeys: ['level'] },
);
/** Keys and texts of assertion trees; what they use is defined, and most of them apply to something. */
const assertionKeys = fc.constantFrom(
  ...['metadata', 'spec', 'a', 'data', 'name', '~.containers', '~i.(to_array(@))', '(keys(@))', '(@)->v', 'spec->v'],
  ...['(length(to_string(@)))', '(nowhere.deep)', '(let $x = @ in [$x, $one])', '~key.(@)', '($one || `[]`)'],
);
const assertion = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1.5, 'web', '(@)', '(type(@))', '($one)', '(length(to_array(@)))', {}, []),
    fc.array(tie('tree'), { maxLength: 2 }),
    fc.dictionary(assertionKeys, tie('tree'), { maxKeys: 3 }),
  ),
})).tree;
const assertions = fc.record(
  { object: assertion, oldObject: assertion, '(operation)': fc.constant('CREATE') },
  { requiredKeys: ['object'] },
);

const validate = fc
  .tuple(
    fc.record(
      { message: texts, failureAction: fc.constantFrom('Audit', 'Enforce'), allowExistingViolations: fc.boolean() },
      { requiredKeys: [] },
    ),
    fc.oneof(
      { weight: 3, arbitrary: checksOf(outside) },
      { weight: 2, arbitrary: fc.record({ foreach: nestedOf(checksOf(inLoop)) }) },
      { weight: 1, arbitrary: fc.record({ podSecurity }) },
      { weight: 1, arbitrary: fc.record({ assert: assertions }) },
    ),
  )
  .map(([head, body]) => ({ ...head, ...body }));

const pointers = fc.constantFrom(
  '/spec/a',
  '/spec/containers/-',
  '/metadata/labels/x~1y',
  '/',
  '/spec/b/c/0',
  '/__proto__/x',
  '/spec/-1',
);
const jsonPatchOf = ({ value }: Documents) =>
  fc
    .array(
      fc.record({
        op: fc.constantFrom('add', 'remove', 'replace', 'test', 'move', 'copy'),
        path: pointers,
        from: pointers,
        value,
      }),
      { maxLength: 3 },
    )
    .map((operations) => JSON.stringify(operations));
const patchOf = (documents: Documents) =>
  fc.oneof(fc.record({ patchStrategicMerge: documents.patch }), fc.record({ patchesJson6902: jsonPatchOf(documents) }));
const targets = fc.array(
  fc.record(
    {
      apiVersion: fc.constant('v1'),
      kind: fc.constantFrom('Secret', 'ConfigMap'),
      name: fc.constantFrom('x', '{{ request.object.metadata.name }}'),
      namespace: fc.constant('default'),
      preconditions: conditionsOf(outside),
    },
    { requiredKeys: ['apiVersion', 'kind', 'namespace'] },
  ),
  { minLength: 1, maxLength: 2 },
);
const mutate = fc.oneof(
  { weight: 3, arbitrary: patchOf(outside) },
  { weight: 2, arbitrary: fc.record({ foreach: nestedOf(patchOf(inLoop)) }) },
  { weight: 1, arbitrary: fc.tuple(patchOf(outside), targets).map(([change, to]) => ({ ...change, targets: to })) },
);

const place = {
  apiVersion: fc.constant('v1'),
  kind: fc.constant('ConfigMap'),
  name: fc.constantFrom('made', "made-{{ random('[a-z]{4}') }}", '{{ request.object.metadata.name }}'),
  namespace: fc.constantFrom('default'),
};
const targetOf = ({ data }: Documents) =>
  fc.oneof(
    fc.record({ ...place, data }),
    fc.record({
      ...place,
      clone: fc.record({
        name: fc.constantFrom('source', '{{ request.namespace }}'),
        namespace: fc.constant('default'),
      }),
    }),
  );
const generate = fc.oneof(
  targetOf(outside),
  fc.record({ foreach: loopsOf(targetOf(inLoop)) }),
  fc.record({
    namespace: fc.constant('default'),
    cloneList: fc.record({ namespace: fc.constant('default'), kinds: fc.constant(['v1/Secret', 'v1/ConfigMap']) }),
  }),
);
const verifyImages = fc.array(
  fc.record({
    imageReferences: fc.array(fc.constantFrom('*', 'ghcr.io/*', 'docker.io/nginx*'), { minLength: 1, maxLength: 2 }),
    verifyDigest: fc.boolean(),
    mutateDigest: fc.constant(false),
    required: fc.constant(false),
  }),
  { minLength: 1, maxLength: 2 },
);

const body = fc.oneof(
  { weight: 5, arbitrary: fc.record({ validate }) },
  { weight: 3, arbitrary: fc.record({ mutate }) },
  { weight: 2, arbitrary: fc.record({ generate }) },
  { weight: 2, arbitrary: fc.record({ verifyImages }) },
);
const rule = fc
  .tuple(
    fc.record({
      match,
      exclude: rarely(match),
      context,
      preconditions: rarely(conditionsOf(outside)),
      reportProperties: rarely(fc.dictionary(fc.constant('p'), texts)),
    }),
    body,
  )
  .map(([head, rest]) => ({ ...head, ...rest }));

export const policies: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.record(
      {
        rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
        background: fc.constant(false),
        applyRules: fc.constantFrom('All', 'One'),
        validationFailureAction: fc.constantFrom('Audit', 'Enforce'),
      },
      { requiredKeys: ['rules', 'background'] },
    ),
    fc.constantFrom('ClusterPolicy', 'Policy'),
  )
  .map(([spec, kind]) =>
    asParsed({
      apiVersion: 'kyverno.io/v1',
      kind,
      metadata: { name: 'random', ...(kind === 'Policy' ? { namespace: 'default' } : {}) },
      spec: { ...spec, rules: spec.rules.map((each, i) => ({ name: `rule-${i}`, ...each })) },
    }),
  );

export const exceptions: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      match,
      conditions: conditionsOf(outside),
      exceptions: fc.constant([{ policyName: 'random', ruleNames: ['*'] }]),
      podSecurity: fc.array(fc.record({ controlName: controls }), { maxLength: 1 }),
    },
    { requiredKeys: ['match', 'exceptions'] },
  )
  .map((spec) =>
    asParsed({
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: { name: 'x', namespace: 'n' },
      spec,
    }),
  );
