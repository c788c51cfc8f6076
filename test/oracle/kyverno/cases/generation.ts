import type { JsonObject } from '../../../../src/base/index.ts';
import { policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const target = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'made',
  namespace: 'default',
  ...more,
});

const rules: readonly JsonObject[] = [
  { generate: { ...target(), data: { data: { a: 'b' } } } },
  {
    generate: {
      ...target({ name: '{{ request.object.metadata.name }}-cm' }),
      data: {
        kind: 'ConfigMap',
        metadata: { labels: { l: '{{ request.object.spec.n }}' } },
        data: { a: '{{ request.object.spec.text }}' },
      },
    },
  },
  { generate: { ...target({ namespace: '{{ request.object.spec.missing }}' }), data: { data: { a: 'b' } } } },
  { generate: { ...target({ name: '{{ request.object.spec.missing }}' }), data: { data: { a: 'b' } } } },
  {
    generate: {
      ...target(),
      synchronize: true,
      data: { data: { a: '{{ request.object.spec.n }}', b: 'x{{ request.object.spec.n }}' } },
    },
  },
  { generate: { ...target(), data: { data: '{{ request.object.spec.map }}' } } },
  {
    generate: {
      ...target(),
      data: { metadata: { name: 'other', namespace: 'elsewhere', annotations: { x: 'y' } }, data: { a: 'b' } },
    },
  },
  { generate: { apiVersion: 'v1', kind: 'Namespace', name: 'made', data: { metadata: { labels: { a: 'b' } } } } },
  {
    generate: {
      apiVersion: 'example.com/v1',
      kind: 'Gadget',
      name: 'made',
      namespace: 'default',
      data: { spec: { l: '{{ request.object.spec.items }}', n: 5 } },
    },
  },
  { generate: { ...target(), clone: { name: 'source', namespace: 'from' } } },
  { generate: { ...target(), synchronize: true, clone: { name: 'source', namespace: 'from' } } },
  { generate: { ...target(), clone: { name: 'none', namespace: 'from' } } },
  { generate: { ...target({ name: 'source', namespace: 'from' }), clone: { name: 'source', namespace: 'from' } } },
  {
    generate: {
      ...target({ name: '{{ request.object.metadata.name }}' }),
      clone: { name: '{{ request.object.spec.text }}', namespace: 'from' },
    },
  },
  {
    generate: {
      namespace: 'default',
      cloneList: {
        namespace: 'from',
        kinds: ['v1/ConfigMap', 'v1/Secret'],
        selector: { matchLabels: { copy: 'yes' } },
      },
    },
  },
  { generate: { namespace: 'default', cloneList: { namespace: 'from', kinds: ['v1/ConfigMap'] } } },
  {
    generate: {
      namespace: '{{ request.object.metadata.name }}',
      cloneList: { namespace: 'from', kinds: ['v1/ConfigMap'] },
    },
  },
  {
    generate: {
      foreach: [
        {
          list: 'request.object.spec.items',
          ...target({ name: 'made-{{ element.name }}' }),
          data: { data: { i: '{{ elementIndex }}' } },
        },
      ],
    },
  },
  {
    generate: {
      foreach: [
        {
          list: 'request.object.spec.items',
          preconditions: { all: [{ key: '{{ element.name }}', operator: 'Equals', value: 'b' }] },
          ...target({ name: 'made-{{ element.name }}' }),
          data: { data: { i: 'x' } },
        },
      ],
    },
  },
  {
    generate: {
      foreach: [
        {
          list: 'request.object.spec.items',
          context: [{ name: 'v', variable: { jmesPath: 'to_upper(element.name)' } }],
          ...target({ name: 'made-{{ element.name }}' }),
          data: { data: { i: '{{ v }}' } },
        },
      ],
    },
  },
  {
    generate: {
      foreach: [
        {
          list: 'request.object.spec.missing',
          ...target({ name: 'made-{{ element.name }}' }),
          data: { data: { i: 'x' } },
        },
      ],
    },
  },
  {
    generate: {
      foreach: [
        {
          list: 'request.object.spec.items',
          ...target({ name: 'c-{{ element.name }}' }),
          clone: { name: 'source', namespace: 'from' },
        },
      ],
    },
  },
  {
    preconditions: { all: [{ key: '{{ request.object.spec.n }}', operator: 'Equals', value: 2 }] },
    generate: { ...target(), data: { data: { a: 'b' } } },
  },
  {
    preconditions: { all: [{ key: '{{ request.object.spec.missing }}', operator: 'Equals', value: 2 }] },
    generate: { ...target(), data: { data: { a: 'b' } } },
  },
  {
    context: [{ name: 'c', variable: { jmesPath: 'request.object.spec.missing', default: 'd' } }],
    generate: { ...target({ name: 'made-{{ c }}' }), data: { data: { a: '{{ c }}' } } },
  },
  { generate: { ...target(), data: {} } },
  {
    generate: {
      ...target(),
      orphanDownstreamOnPolicyDelete: true,
      synchronize: true,
      data: { data: { '{{ request.object.spec.text }}': 'v' } },
    },
  },
];

const resources = [
  widget('w1', { n: 1, text: 'source', map: { k: 'v' }, items: [{ name: 'a' }, { name: 'b' }] }),
  widget('w2', { n: 2, text: 'none', map: { k: 'w' }, items: [] }, { namespace: 'team', labels: { x: 'y' } }),
];
const sources: readonly JsonObject[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'source',
      namespace: 'from',
      labels: { copy: 'yes' },
      annotations: { a: 'b' },
      uid: 'u1',
      resourceVersion: '5',
    },
    data: { k: 'v' },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'second', namespace: 'from' }, data: { k: 'w' } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'secret', namespace: 'from', labels: { copy: 'yes' } },
    type: 'Opaque',
    data: { k: 'dg==' },
  },
];

/** Generation from data, clones, lists of clones and loops. */
export const generationCases: readonly PolicyCase[] = rules.map((body) => ({
  name: `generate ${JSON.stringify(body)}`,
  policies: [policy('generation', [rule('r', body)])],
  resources,
  sources,
}));
