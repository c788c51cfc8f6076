import type { JsonObject } from '../../../../src/base/index.ts';
import { pod, policy } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const kinds = (...names: string[]): JsonObject => ({ any: [{ resources: { kinds: names } }] });
const pattern = {
  validate: {
    message: 'no {{ request.object.spec.containers[0].name }} {{ request.object.metadata.name }}',
    pattern: { metadata: { labels: { app: '?*' } }, spec: { containers: [{ image: '!*:latest' }] } },
  },
};
const deny = {
  validate: {
    message: 'in {{ request.object.metadata.namespace }}',
    deny: {
      conditions: {
        any: [{ key: '{{ request.object.spec.containers[].image }}', operator: 'AnyIn', value: '*:latest' }],
      },
    },
  },
};

const bodies: readonly JsonObject[] = [
  { match: kinds('Pod'), ...pattern },
  { match: { resources: { kinds: ['Pod'] } }, ...pattern },
  { match: { all: [{ resources: { kinds: ['Pod'] } }] }, ...pattern },
  { match: kinds('Pod', 'Deployment'), ...pattern },
  { match: kinds('v1/Pod'), ...pattern },
  { match: kinds('*/Pod'), ...pattern },
  { match: kinds('Pod'), exclude: kinds('Pod'), ...pattern },
  { match: kinds('Pod'), exclude: kinds('Deployment'), ...pattern },
  { match: kinds('Pod'), exclude: { any: [{ resources: { namespaces: ['x'] } }] }, ...pattern },
  { match: kinds('Pod'), exclude: { any: [{ resources: { kinds: ['Pod'], namespaces: ['x'] } }] }, ...pattern },
  { match: { any: [{ resources: { kinds: ['Pod'], names: ['a*'] } }] }, ...pattern },
  { match: { any: [{ resources: { kinds: ['Pod'], selector: { matchLabels: { app: 'x' } } } }] }, ...pattern },
  { match: { any: [{ resources: { kinds: ['Pod'], annotations: { a: 'b' } } }] }, ...pattern },
  { match: { any: [{ resources: { kinds: ['Pod'], namespaceSelector: { matchLabels: { a: 'b' } } } }] }, ...pattern },
  { match: { any: [{ resources: { kinds: ['Pod'], operations: ['CREATE'] } }] }, ...pattern },
  { match: kinds('Pod'), ...deny },
  {
    match: kinds('Pod'),
    preconditions: {
      all: [{ key: "{{ request.object.metadata.labels.app || '' }}", operator: 'NotEquals', value: '' }],
    },
    ...deny,
  },
  {
    match: kinds('Pod'),
    context: [{ name: 'all', variable: { jmesPath: 'request.object.spec.containers[].name' } }],
    validate: {
      message: '{{ all }}',
      deny: { conditions: { any: [{ key: '{{ all }}', operator: 'AnyIn', value: ['bad'] }] } },
    },
  },
  {
    match: kinds('Pod'),
    validate: {
      message: 'no',
      anyPattern: [{ spec: { containers: [{ name: 'a' }] } }, { spec: { hostNetwork: true } }],
    },
  },
  {
    match: kinds('Pod'),
    validate: { message: 'no', foreach: [{ list: 'request.object.spec.containers', pattern: { image: '!*:latest' } }] },
  },
  {
    match: kinds('Pod'),
    validate: {
      message: 'no',
      foreach: [
        {
          list: 'request.object.spec.[containers, initContainers][]',
          deny: { conditions: { any: [{ key: '{{ element.image }}', operator: 'Equals', value: '*:latest' }] } },
        },
      ],
    },
  },
  {
    match: kinds('Pod'),
    validate: {
      message: 'no',
      foreach: [
        { list: 'request.object.spec.containers', elementScope: false, pattern: { spec: { hostNetwork: true } } },
      ],
    },
  },
  {
    match: kinds('Pod'),
    mutate: {
      patchStrategicMerge: {
        metadata: { labels: { '+(added)': 'yes' } },
        spec: { containers: [{ '(name)': '*', imagePullPolicy: 'Always' }] },
      },
    },
  },
  { match: kinds('Pod'), mutate: { patchesJson6902: '- {op: add, path: /spec/hostNetwork, value: true}' } },
  {
    match: kinds('Pod'),
    mutate: {
      foreach: [
        {
          list: 'request.object.spec.containers',
          patchStrategicMerge: {
            spec: { containers: [{ '(name)': '{{ element.name }}', image: 'r/{{ element.image }}' }] },
          },
        },
      ],
    },
  },
  {
    match: kinds('Pod'),
    mutate: {
      foreach: [
        {
          list: 'request.object.spec.containers',
          patchesJson6902: '- {op: add, path: "/spec/containers/{{elementIndex}}/tty", value: true}',
        },
      ],
    },
  },
  {
    match: kinds('Deployment'),
    validate: { message: 'no', pattern: { spec: { template: { spec: { hostNetwork: true } } } } },
  },
  {
    match: kinds('Pod'),
    validate: {
      message: "{{ request.object.metadata.annotations.\"a/b\" || 'none' }} {{ request.oldObject.spec || 'x' }}",
      deny: {},
    },
  },
  { match: kinds('Pod'), validate: { message: 'plain request.object.spec text and object.spec', deny: {} } },
  {
    match: kinds('Pod'),
    celPreconditions: [{ name: 'n', expression: 'true' }],
    validate: { message: 'no', pattern: { spec: { hostNetwork: true } } },
  },
];
const controllers = [undefined, 'none', 'Deployment', 'Deployment,CronJob', 'DaemonSet,Job', 'all', 'Bogus', ''];

const spec: JsonObject = {
  containers: [
    { name: 'bad', image: 'x:latest' },
    { name: 'good', image: 'y:1' },
  ],
};
const template = { metadata: { labels: { app: 'x' } }, spec };
const of = (apiVersion: string, kind: string, body: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: kind.toLowerCase(), labels: { top: 'x' } },
  spec: body,
});
const selector = { matchLabels: { app: 'x' } };
const resources: readonly JsonObject[] = [
  pod('pod', spec),
  of('apps/v1', 'Deployment', { selector, template }),
  of('apps/v1', 'DaemonSet', { selector, template: { metadata: {}, spec } }),
  of('apps/v1', 'StatefulSet', { selector, serviceName: 's', template }),
  of('apps/v1', 'ReplicaSet', { selector, template }),
  of('v1', 'ReplicationController', { template }),
  of('batch/v1', 'Job', { template }),
  of('batch/v1', 'CronJob', { schedule: '* * * * *', jobTemplate: { spec: { template } } }),
];

const autogen = (rules: readonly JsonObject[], listed?: string): JsonObject => {
  const written = policy('autogen', rules);
  if (listed === undefined) return written;
  return {
    ...written,
    metadata: { name: 'autogen', annotations: { 'pod-policies.kyverno.io/autogen-controllers': listed } },
  };
};

/** Rules for pods on all controllers. */
export const autogenCases: readonly PolicyCase[] = [
  ...bodies.map((body) => ({
    name: `autogen ${JSON.stringify(body)}`,
    policies: [autogen([{ name: 'r', ...body }])],
    resources,
  })),
  ...controllers.map((listed) => ({
    name: `controllers ${listed}`,
    policies: [
      autogen(
        [
          { name: 'r', ...bodies[0] },
          { name: 's', ...bodies[15] },
        ],
        listed,
      ),
    ],
    resources,
  })),
  ...bodies.slice(1).map((body, i) => ({
    name: `two ${i}`,
    policies: [
      autogen([
        { name: 'r', ...bodies[0] },
        { name: 's', ...body },
      ]),
    ],
    resources,
  })),
  {
    name: 'a long name',
    policies: [autogen([{ name: 'a-rule-whose-name-is-as-long-as-a-rule-may-be-sixty-three-long', ...bodies[0] }])],
    resources,
  },
];
