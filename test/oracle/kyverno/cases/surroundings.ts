import type { JsonObject } from '../../../../src/base/index.ts';
import { pod, policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const configMap = (name: string, namespace: string, data: JsonObject, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
});
const cluster: readonly JsonObject[] = [
  configMap('known', 'default', { key: 'value', list: '["a","b"]', yaml: 'a: 1\n' }, { kind: 'x' }),
  configMap('other', 'default', { key: 'w' }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { env: 'prod' } } },
];

const contexts: readonly (readonly JsonObject[])[] = [
  [{ name: 'c', configMap: { name: 'known', namespace: 'default' } }],
  [{ name: 'c', configMap: { name: 'known' } }],
  [{ name: 'c', configMap: { name: 'none', namespace: 'default' } }],
  [{ name: 'c', configMap: { name: '{{ request.object.spec.map }}', namespace: 'default' } }],
  [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/default/configmaps/known' } }],
  [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/default/configmaps', jmesPath: 'items[].metadata.name' } }],
  [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/default/configmaps/none' } }],
  [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/default/configmaps/none', default: { data: { key: 'd' } } } }],
  [
    {
      name: 'c',
      apiCall: { urlPath: '/api/v1/namespaces/{{ request.namespace }}/configmaps/known', jmesPath: 'data' },
    },
  ],
  [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/default/configmaps', jmesPath: 'length(items)' } }],
  [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/default/configmaps', jmesPath: 'items[9].x' } }],
];
const messages = [
  '{{ c }}',
  '{{ c.data.key }}',
  "{{ c.data.list || 'none' }}",
  '{{ parse_yaml(c.data.yaml) }}',
  '{{ c.metadata.labels.kind }}',
  '{{ length(c) }}',
];

const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const operationRules: readonly JsonObject[] = [
  {
    validate: { message: '{{ request.operation }} {{ request.object.metadata.name }}', pattern: { spec: { a: 'x' } } },
  },
  { validate: { message: '{{ request.operation }}', deny: {} } },
  { validate: { message: "{{ request.oldObject.spec.a || 'none' }} {{ request.object.spec.a || 'none' }}", deny: {} } },
  {
    preconditions: { all: [{ key: '{{ request.operation }}', operator: 'In', value: ['UPDATE', 'DELETE'] }] },
    validate: {
      message: 'm',
      deny: { conditions: { any: [{ key: '{{ request.oldObject.spec.a }}', operator: 'Equals', value: 'y' }] } },
    },
  },
  { validate: { message: 'm', foreach: [{ list: 'request.object.spec.l', pattern: { k: 'v' } }] } },
  { validate: { message: 'm', allowExistingViolations: false, pattern: { spec: { a: 'x' } } } },
  { validate: { message: 'm', allowExistingViolations: true, pattern: { spec: { a: 'x' } } } },
  {
    context: [{ name: 'v', variable: { jmesPath: 'request.object.spec.a' } }],
    validate: { message: 'v {{ v }}', deny: {} },
  },
  {
    context: [{ name: 'v', variable: { jmesPath: 'request.object.spec.a', default: 'd' } }],
    validate: { message: 'v {{ v }}', deny: {} },
  },
  {
    context: [{ name: 'v', variable: { value: '{{ request.object.spec.a }}' } }],
    validate: { message: 'v {{ v }}', deny: {} },
  },
  {
    validate: {
      message: 'm',
      foreach: [
        {
          list: 'request.object.spec.l',
          deny: { conditions: { any: [{ key: '{{ element.k }}', operator: 'Equals', value: 'v' }] } },
        },
      ],
    },
  },
  {
    validate: {
      message: 'm',
      foreach: [
        {
          list: 'request.oldObject.spec.l',
          deny: { conditions: { any: [{ key: '{{ element.k }}', operator: 'Equals', value: 'v' }] } },
        },
      ],
    },
  },
  { validate: { message: 'm', foreach: [{ list: 'request.oldObject.spec.l', pattern: { k: 'v' } }] } },
  { validate: { message: 'm', foreach: [{ list: 'request.object.spec.l || `[{"k": "v"}]`', pattern: { k: 'w' } }] } },
  {
    preconditions: { all: [{ key: '{{ request.object.spec.a }}', operator: 'Equals', value: 'x' }] },
    validate: { message: 'm {{ request.object.metadata.name }}', deny: {} },
  },
  { mutate: { foreach: [{ list: 'request.object.spec.l', patchesJson6902: '- {op: add, path: /spec/b, value: c}' }] } },
  {
    context: [{ name: 'v', variable: { jmesPath: 'request.object.spec.l' } }],
    validate: { message: 'm', foreach: [{ list: 'v', pattern: { k: 'v' } }] },
  },
  { mutate: { patchStrategicMerge: { spec: { b: 'c' } } } },
  { mutate: { patchesJson6902: '- {op: add, path: /spec/b, value: c}' } },
  { generate: { apiVersion: 'v1', kind: 'ConfigMap', name: 'm', namespace: 'default', data: { data: { a: 'b' } } } },
];

const targetRules: readonly JsonObject[] = [
  {
    mutate: {
      targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'known', namespace: 'default' }],
      patchStrategicMerge: { data: { new: '{{ request.object.metadata.name }}' } },
    },
  },
  {
    mutate: {
      targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: '*', namespace: 'default' }],
      patchStrategicMerge: { data: { new: '{{ target.metadata.name }}' } },
    },
  },
  {
    mutate: {
      targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'known', namespace: 'default' }],
      patchesJson6902: '- {op: add, path: /data/new, value: "{{ target.data.key }}"}',
    },
  },
  {
    mutate: {
      targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', namespace: 'default' }],
      patchStrategicMerge: { data: { new: 'x' } },
    },
  },
  {
    mutate: {
      targets: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: 'known',
          namespace: 'default',
          preconditions: { all: [{ key: '{{ target.data.key }}', operator: 'Equals', value: 'no' }] },
        },
      ],
      patchStrategicMerge: { data: { new: 'x' } },
    },
  },
  {
    mutate: {
      targets: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: 'known',
          namespace: 'default',
          context: [{ name: 'v', variable: { jmesPath: 'target.data.key' } }],
        },
      ],
      patchStrategicMerge: { data: { new: '{{ v }}' } },
    },
  },
  {
    mutate: {
      targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'known', namespace: 'default' }],
      patchStrategicMerge: { data: { key: '{{ @ }}-x' } },
    },
  },
  {
    mutate: {
      targets: [
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', selector: { matchLabels: { kind: 'x' } } },
      ],
      patchStrategicMerge: { data: { new: 'x' } },
    },
  },
];

const subresources: JsonObject = {
  subresources: [
    {
      subresource: { name: 'pods/exec', kind: 'PodExecOptions', version: 'v1' },
      parentResource: { name: 'pods', kind: 'Pod', version: 'v1' },
    },
    {
      subresource: { name: 'widgets/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' },
      parentResource: { name: 'widgets', kind: 'Widget', group: 'example.com', version: 'v1' },
    },
  ],
};
const kinds = [
  'Pod/exec',
  'Pod/*',
  'Pod',
  '*/exec',
  '*/*',
  '*',
  'Widget/scale',
  'example.com/*/Widget/scale',
  'PodExecOptions',
  'Scale',
];

/** ConfigMaps and API calls, operations, other objects as targets, subresources. */
export const surroundingCases: readonly PolicyCase[] = [
  ...contexts.flatMap((context) =>
    messages.map((message) => ({
      name: `context ${JSON.stringify(context)} ${message}`,
      policies: [policy('context', [rule('r', { context, validate: { message, deny: {} } })])],
      resources: [widget('w', { map: 'known' })],
      cluster,
    })),
  ),
  ...operations.flatMap((operation) =>
    operationRules.map((body) => ({
      name: `${operation} ${JSON.stringify(body)}`,
      policies: [policy('operations', [rule('r', body)], { background: false })],
      resources: [widget('w', { a: 'x', l: [{ k: 'v' }] }), widget('v', { a: 'y', l: [{ k: 'w' }] })],
      values: { globalValues: { 'request.operation': operation } },
    })),
  ),
  ...targetRules.map((body) => ({
    name: `target ${JSON.stringify(body)}`,
    policies: [policy('targets', [rule('r', body)], { background: false })],
    resources: [widget('w', {})],
    targets: cluster.slice(0, 2),
  })),
  ...kinds.map((kind) => ({
    name: `subresource ${kind}`,
    policies: [
      policy(
        'subresources',
        [{ name: 'r', match: { any: [{ resources: { kinds: [kind] } }] }, validate: { message: 'no', deny: {} } }],
        { background: false },
      ),
    ],
    resources: [
      { apiVersion: 'v1', kind: 'PodExecOptions', metadata: { name: 'e' }, command: ['x'] },
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 's' }, spec: { replicas: 3 } },
      pod('p', { containers: [{ name: 'c', image: 'i' }] }),
      widget('w', {}),
    ],
    values: subresources,
  })),
];
