import { describe, expect, it } from 'vitest';
import type { PolicyObject, RuleSpec } from '../policy/index.ts';
import { convertPolicy } from './convert.ts';

const pods = { any: [{ resources: { kinds: ['Pod'] } }] };

function policyOf(rule: object, more: { spec?: object; metadata?: object; kind?: string } = {}): PolicyObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: more.kind ?? 'ClusterPolicy',
    metadata: { name: 'p', ...more.metadata },
    spec: { rules: [{ name: 'r', match: pods, ...rule } as RuleSpec], ...more.spec },
  } as PolicyObject;
}

interface Spec {
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly { readonly expression: string; readonly message?: string }[];
  readonly [name: string]: unknown;
}

function convert(rule: object, more?: Parameters<typeof policyOf>[1]) {
  const { converted, refused } = convertPolicy(policyOf(rule, more));
  const [one] = converted;
  return one ? { policy: one.policy, spec: one.policy['spec'] as Spec, notes: one.notes } : refused;
}

const expressionOf = (rule: object, more?: Parameters<typeof policyOf>[1]) => {
  const result = convert(rule, more);
  return 'spec' in result
    ? result.spec.validations[0]?.expression
    : result.map(({ path, reason }) => `${path}: ${reason}`);
};
const pattern = (spec: object) => ({ validate: { message: 'm', pattern: { spec } } });
const named = { validate: { message: 'm', pattern: { metadata: { name: 'a' } } } };

describe('patterns', () => {
  it.each<[string, object, string]>([
    ['a field that must be there', { nodeName: '?*' }, "object.spec.?nodeName.orValue('') != ''"],
    ['a value where there is one', { '=(hostPID)': false }, 'object.spec.?hostPID.orValue(false) == false'],
    ['a field that must not be there', { 'X(hostNetwork)': 'null' }, '!object.spec.?hostNetwork.hasValue()'],
    [
      'an integer in order',
      { '=(priority)': '<=5' },
      '!object.spec.?priority.hasValue() || object.spec.?priority.orValue(0) <= 5',
    ],
    [
      'one of several texts',
      { dnsPolicy: 'Default | None' },
      "object.spec.?dnsPolicy.orValue('') in ['Default', 'None']",
    ],
    [
      'no text with a beginning',
      { nodeName: '!gpu-*' },
      "object.spec.?nodeName.hasValue() && !object.spec.?nodeName.orValue('').startsWith('gpu-')",
    ],
    [
      'every element',
      { containers: [{ image: '*:v?' }] },
      "object.spec.containers.all(c, c.?image.orValue('').matches('(?s)^.*:v.$'))",
    ],
    [
      'elements that meet a condition',
      { containers: [{ '(name)': 'web*', imagePullPolicy: 'Always' }] },
      "(size(object.spec.containers) > 0 && object.spec.containers.all(c, !c.name.startsWith('web'))) || object.spec.containers.all(c, !c.name.startsWith('web') || c.?imagePullPolicy.orValue('') == 'Always')",
    ],
    [
      'at least one element',
      { '^(containers)': [{ name: 'web' }] },
      "object.spec.containers.exists(c, c.name == 'web')",
    ],
    [
      'an amount',
      { containers: [{ resources: { limits: { memory: '<=1Gi' } } }] },
      "object.spec.containers.all(c, c.?resources.limits.hasValue() && isQuantity(string(c.?resources.limits.memory.orValue('0'))) && quantity(string(c.?resources.limits.memory.orValue('0'))).compareTo(quantity('1Gi')) <= 0)",
    ],
  ])('%s', (_, spec, expected) => {
    expect(expressionOf(pattern(spec))).toBe(expected);
  });

  it('labels by keys with any characters', () => {
    expect(expressionOf({ validate: { message: 'm', pattern: { metadata: { labels: { 'a.io/team': '?*' } } } } })).toBe(
      "object.metadata.?labels[?'a.io/team'].orValue('') != ''",
    );
  });

  it('one of several patterns', () => {
    const anyPattern = [{ spec: { hostPID: true } }, { spec: { hostIPC: true } }];
    expect(expressionOf({ validate: { message: 'm', anyPattern } })).toBe(
      'object.spec.?hostPID.orValue(null) == true || object.spec.?hostIPC.orValue(null) == true',
    );
  });
});

const deny = (key: string, operator: string, value: unknown) => ({
  validate: { message: 'm', deny: { conditions: { any: [{ key, operator, value }] } } },
});

describe('conditions', () => {
  it.each<[string, string, unknown, string]>([
    ['{{ request.operation }}', 'Equals', 'UPDATE', "request.operation != 'UPDATE'"],
    [
      '{{ request.object.spec.hostNetwork || `false` }}',
      'Equals',
      true,
      'object.spec.?hostNetwork.orValue(false) != true',
    ],
    ['{{ length(request.object.spec.containers) }}', 'GreaterThan', 3, 'size(object.spec.containers) <= 3'],
    ['{{ request.object.spec.containers[] | length(@) }}', 'GreaterThan', '3', 'size(object.spec.containers) <= 3'],
    [
      '{{ request.object.spec.containers[].name }}',
      'AnyIn',
      ['a', 'b'],
      "!object.spec.containers.map(c, c.name).exists(x, x in ['a', 'b'])",
    ],
    [
      "{{ request.object.metadata.labels.team || '' }}",
      'AnyNotIn',
      ['a*', 'b'],
      "object.metadata.?labels.team.orValue('').matches('(?s)^(?:a.*|b)$')",
    ],
  ])('%s %s %j', (key, operator, value, expected) => {
    expect(expressionOf(deny(key, operator, value))).toBe(expected);
  });

  it('of loops, with their own elements and preconditions', () => {
    const foreach = [
      {
        list: 'request.object.spec.containers',
        preconditions: { all: [{ key: '{{ element.name }}', operator: 'NotEquals', value: 'proxy' }] },
        deny: {
          conditions: {
            all: [
              { key: 'ALL', operator: 'AnyNotIn', value: '{{ element.securityContext.capabilities.drop[] || `[]` }}' },
            ],
          },
        },
      },
    ];
    expect(expressionOf({ validate: { message: 'm', foreach } })).toBe(
      "object.spec.containers.all(c, c.name == 'proxy' || 'ALL' in c.?securityContext.capabilities.drop.orValue([]))",
    );
  });
});

describe('the policy around them', () => {
  it('has the actions, constraints and conditions of the rule', () => {
    const result = convert(
      {
        match: { any: [{ resources: { kinds: ['Deployment', 'StatefulSet'], namespaces: ['prod-*'] } }] },
        exclude: { any: [{ subjects: [{ kind: 'User', name: 'admin' }] }] },
        preconditions: { all: [{ key: '{{ request.operation }}', operator: 'Equals', value: 'CREATE' }] },
        validate: {
          message: 'no {{ request.object.metadata.name }}',
          failureAction: 'Enforce',
          pattern: { metadata: { labels: { a: '?*' } } },
        },
      },
      { spec: { background: false, failurePolicy: 'Ignore', webhookTimeoutSeconds: 5 } },
    );
    expect(result).toMatchObject({
      policy: { apiVersion: 'policies.kyverno.io/v1', kind: 'ValidatingPolicy', metadata: { name: 'p' } },
      spec: {
        validationActions: ['Deny'],
        failurePolicy: 'Ignore',
        evaluation: { background: { enabled: false } },
        webhookConfiguration: { timeoutSeconds: 5 },
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['apps'],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['deployments', 'statefulsets'],
            },
          ],
        },
        matchConditions: [
          { name: 'match', expression: "object.metadata.namespace.startsWith('prod-')" },
          { name: 'exclude', expression: "request.userInfo.username != 'admin'" },
          { name: 'preconditions', expression: "request.operation == 'CREATE'" },
        ],
        validations: [{ messageExpression: "'no ' + object.metadata.?name.orValue('')" }],
      },
    });
  });

  it('derives for the same controllers', () => {
    const annotations = (value: string) => ({
      metadata: { annotations: { 'pod-policies.kyverno.io/autogen-controllers': value } },
    });
    const autogenOf = (more?: Parameters<typeof policyOf>[1]) => {
      const result = convert(pattern({ '=(hostPID)': false }), more);
      return 'spec' in result ? result.spec['autogen'] : result;
    };
    expect(autogenOf()).toBeUndefined();
    expect(autogenOf(annotations('none'))).toEqual({ podControllers: { controllers: [] } });
    expect(autogenOf(annotations('Deployment,CronJob'))).toEqual({
      podControllers: { controllers: ['deployments', 'cronjobs'] },
    });
  });

  it('stays in its namespace', () => {
    expect(
      convert(pattern({ '=(hostPID)': false }), { kind: 'Policy', metadata: { namespace: 'shop' } }),
    ).toMatchObject({
      policy: { kind: 'NamespacedValidatingPolicy', metadata: { namespace: 'shop' } },
    });
  });

  it('is one for each rule, because reports name policies only', () => {
    const { spec } = policyOf(pattern({ '=(hostPID)': false }));
    const rules = [...(spec.rules ?? []), ...(spec.rules ?? []).map((rule) => ({ ...rule, name: 'second' }))];
    const { converted } = convertPolicy({ ...policyOf({}), spec: { rules } });
    expect(converted.map(({ policy }) => policy.metadata.name)).toEqual(['p-r', 'p-second']);
  });

  it('takes over expressions of validate.cel', () => {
    const cel = { expressions: [{ expression: 'object.spec.replicas > 1', message: 'more' }] };
    const match = { any: [{ resources: { kinds: ['Deployment'] } }] };
    expect(convert({ match, validate: { cel } })).toMatchObject({
      spec: { validations: [{ expression: 'object.spec.replicas > 1', message: 'more' }] },
    });
  });
});

describe('what has no equivalent is named with its field', () => {
  it.each<[object, string]>([
    [{ context: [{ name: 'a', configMap: { name: 'b', namespace: 'c' } }], ...pattern({}) }, 'spec.rules[0].context: '],
    [{ mutate: { patchStrategicMerge: {} } }, 'spec.rules[0].mutate.patchStrategicMerge: nothing is changed'],
    [{ validate: { podSecurity: { level: 'baseline' } } }, 'spec.rules[0].validate: podSecurity'],
    [
      { match: { any: [{ resources: { kinds: ['*'] } }] }, ...named },
      'spec.rules[0].match.any[0].kinds[0]: * has a wildcard',
    ],
    [deny('{{ random(`a`) }}', 'Equals', 'a'), 'spec.rules[0].validate.deny.conditions.any[0].key: '],
    [
      { match: { any: [{ resources: { kinds: ['Pod'] }, clusterRoles: ['a'] }] }, ...pattern({}) },
      'spec.rules[0].match.any[0]: roles',
    ],
  ])('%j', (rule, expected) => {
    expect(expressionOf(rule, { spec: { background: false } })).toEqual([expect.stringContaining(expected)]);
  });

  it('a conversion that decides otherwise on some object is not given', () => {
    // A default in a condition after one that fails without it: an error blocks, CEL goes on to the other operand.
    const conditions = {
      all: [
        { key: '{{ request.object.spec.nodeName }}', operator: 'Equals', value: 'n' },
        { key: '{{ request.object.spec.hostPID || `false` }}', operator: 'Equals', value: true },
      ],
    };
    const result = expressionOf({ validate: { message: 'm', deny: { conditions } } });
    expect(result).toEqual([expect.stringMatching(/differ \(blocked, allowed\) on:\napiVersion: v1\nkind: Pod\n/)]);
  });
});
