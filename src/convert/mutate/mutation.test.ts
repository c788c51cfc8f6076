import { describe, expect, it } from 'vitest';
import type { PolicyObject } from '../../policy/index.ts';
import { convertPolicy } from '../index.ts';

const pods = { any: [{ resources: { kinds: ['Pod'] } }] };
const services = { any: [{ resources: { kinds: ['Service'] } }] };

function convert(mutate: object, more: { readonly match?: object; readonly [field: string]: unknown } = {}) {
  const rule = { name: 'r', match: services, mutate, ...more };
  const policy = {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: { rules: [rule] },
  };
  const { converted, refused } = convertPolicy(policy as unknown as PolicyObject, { samples: 100 });
  const [one] = converted;
  if (!one) return refused.map(({ path, reason }) => `${path}: ${reason}`);
  return [one.policy, ...one.derived].map((each) => ({ ...each.metadata, ...(each['spec'] as Spec) }));
}

interface Spec {
  readonly mutations: readonly {
    readonly applyConfiguration?: { readonly expression: string };
    readonly jsonPatch?: { readonly expression: string };
  }[];
  readonly evaluation?: object;
  readonly matchConditions?: readonly object[];
}

const expressions = (...args: Parameters<typeof convert>) =>
  convert(...args).flatMap((one) =>
    typeof one === 'string'
      ? [one]
      : one.mutations.map(({ applyConfiguration, jsonPatch }) => (applyConfiguration ?? jsonPatch)?.expression ?? ''),
  );

const merge = (patchStrategicMerge: object) => ({ patchStrategicMerge });

describe('a strategic merge', () => {
  it.each<[string, object, string]>([
    [
      'of fields and labels',
      { metadata: { labels: { 'a/b': '{{ request.object.metadata.name }}-x' } }, spec: { sessionAffinity: 'None' } },
      "Object{metadata: Object.metadata{labels: {'a/b': object.metadata.name + '-x'}}, spec: Object.spec{sessionAffinity: 'None'}}",
    ],
    [
      'of what is not there yet',
      { metadata: { labels: { '+(team)': 'none' } } },
      "Object{metadata: Object.metadata{labels: {'team': object.metadata.?labels.team.orValue('none')}}}",
    ],
  ])('%s is an apply configuration', (_, patch, expected) => {
    expect(expressions(merge(patch))).toEqual([expected]);
  });

  it('of elements that meet a condition is one for the elements, for controllers of Pods too', () => {
    const patch = { spec: { containers: [{ '(image)': '*:latest', imagePullPolicy: 'Always' }] } };
    expect(convert(merge(patch), { match: pods })).toMatchObject([
      {
        name: 'p',
        mutations: [
          {
            applyConfiguration: {
              expression:
                "Object{spec: Object.spec{containers: object.spec.containers.filter(c, c.?image.orValue('').endsWith(':latest')).map(c, Object.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}",
            },
          },
        ],
      },
    ]);
  });

  it('of metadata of Pods has policies of its own for their controllers', () => {
    const patch = { metadata: { annotations: { a: 'b' } } };
    expect(convert(merge(patch), { match: pods })).toMatchObject([
      { name: 'p', autogen: { podControllers: { controllers: [] } } },
      { name: 'p-controllers' },
      { name: 'p-cronjobs' },
    ]);
  });

  it('with conditions on the object applies as a whole', () => {
    const patch = { metadata: { '(name)': 'a-*', labels: { b: 'c' } } };
    expect(convert(merge(patch))).toMatchObject([
      {
        matchConditions: [
          {
            name: 'patch',
            expression: "object.metadata.?name.orValue('').startsWith('a-')",
          },
        ],
      },
    ]);
  });

  it('of a list that is one value lets the configuration replace it', () => {
    expect(convert(merge({ spec: { externalIPs: ['1.2.3.4'] } }))).toMatchObject([
      { evaluation: { useServerSideApply: true } },
    ]);
  });

  it('of a map that is one value is a JSON patch', () => {
    expect(expressions(merge({ spec: { selector: { a: 'b' } } }))).toEqual([
      "object.spec.?selector.hasValue() ? [JSONPatch{op: 'add', path: '/spec/selector/a', value: 'b'}] : [JSONPatch{op: 'add', path: '/spec/selector', value: {'a': 'b'}}]",
    ]);
  });

  it('that removes a field is a JSON patch', () => {
    expect(expressions(merge({ spec: { externalName: null } }))).toEqual([
      "object.spec.?externalName.hasValue() ? [JSONPatch{op: 'remove', path: '/spec/externalName'}] : []",
    ]);
  });
});

describe('JSON patches', () => {
  it('make what is missing on the way', () => {
    const patchesJson6902 = '- { op: add, path: /spec/template/spec/affinity/nodeAffinity, value: {} }';
    const match = { any: [{ resources: { kinds: ['Deployment'] } }] };
    expect(expressions({ patchesJson6902 }, { match })).toEqual([
      "object.spec.template.?spec.hasValue() ? (object.spec.template.?spec.affinity.hasValue() ? [JSONPatch{op: 'add', path: '/spec/template/spec/affinity/nodeAffinity', value: {}}] : [JSONPatch{op: 'add', path: '/spec/template/spec/affinity', value: {'nodeAffinity': {}}}]) : [JSONPatch{op: 'add', path: '/spec/template/spec', value: {'affinity': {'nodeAffinity': {}}}}]",
    ]);
  });

  it('of a loop name elements by their index', () => {
    const patchesJson6902 =
      '- { op: add, path: "/spec/ports/{{elementIndex}}/appProtocol", value: "x-{{element.name}}" }';
    const list = 'request.object.spec.ports[]';
    const preconditions = { all: [{ key: '{{ element.name }}', operator: 'Equals', value: 'web' }] };
    const patches = expressions({ foreach: [{ list, preconditions, patchesJson6902 }] });
    expect(patches).toEqual([expect.stringContaining('transformList(i, c, ')]);
  });

  it('that remove elements do so from the end', () => {
    const patchesJson6902 = '- { op: remove, path: "/spec/ports/{{elementIndex}}" }';
    const list = 'request.object.spec.ports[]';
    const preconditions = { all: [{ key: "{{ element.name || '' }}", operator: 'Equals', value: 'web' }] };
    expect(expressions({ foreach: [{ list, preconditions, order: 'Descending', patchesJson6902 }] })).toEqual([
      expect.stringContaining('.map(i, size(object.spec.?ports.orValue([])) - 1 - i)'),
    ]);
  });
});

it('other objects are changed as targets, with their own conditions', () => {
  const targets = [
    { apiVersion: 'v1', kind: 'Secret', namespace: '{{ request.namespace }}', selector: { matchLabels: { a: 'b' } } },
  ];
  const patch = {
    metadata: { labels: { from: '{{ request.object.metadata.name }}', own: '{{ target.metadata.name }}' } },
  };
  const match = { any: [{ resources: { kinds: ['ConfigMap'] } }] };
  expect(convert({ targets, ...merge(patch) }, { match })).toMatchObject([
    {
      evaluation: { mutateExisting: { enabled: true } },
      targetMatchConstraints: {
        objectSelector: { matchLabels: { a: 'b' } },
        resourceRules: [{ apiGroups: [''], resources: ['secrets'] }],
      },
      targetMatchConditions: [{ name: 'namespace', expression: 'object.metadata.namespace == request.namespace' }],
      mutations: [
        {
          applyConfiguration: {
            expression:
              "Object{metadata: Object.metadata{labels: {'from': request.object.metadata.name, 'own': object.metadata.name}}}",
          },
        },
      ],
    },
  ]);
});

it.each<[object, string]>([
  [
    merge({ metadata: { labels: { $patch: 'replace' } } }),
    'spec.rules[0].mutate.patchStrategicMerge.metadata.labels.$patch: directives',
  ],
  [
    { foreach: [{ list: 'request.object.spec.ports', ...merge({ metadata: { labels: { a: 'b' } } }) }] },
    'spec.rules[0].mutate.foreach[0]: elements of one list',
  ],
  [
    { patchesJson6902: '- { op: add, path: /spec/a, value: {{ request.object.spec.b }} }' },
    'spec.rules[0].mutate.patchesJson6902',
  ],
  [
    merge({ metadata: { labels: { a: '{{ images.containers.a.tag }}' } } }),
    'spec.rules[0].mutate.patchStrategicMerge.metadata.labels.a: ',
  ],
])('what has no equivalent is named with its field: %j', (mutate, expected) => {
  expect(convert(mutate)).toEqual([expect.stringContaining(expected)]);
});
