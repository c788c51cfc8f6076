import type { JsonObject } from '../../../../src/base/index.ts';
import { pod, policy } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const match = { any: [{ resources: { kinds: ['Pod'] } }] };
const policies: readonly JsonObject[] = [
  policy('one', [
    {
      name: 'latest',
      match,
      validate: { message: 'no latest', pattern: { spec: { containers: [{ image: '!*:latest' }] } } },
    },
    {
      name: 'network',
      match,
      validate: {
        message: 'no network',
        deny: {
          conditions: {
            any: [{ key: '{{ request.object.spec.hostNetwork || `false` }}', operator: 'Equals', value: true }],
          },
        },
      },
    },
  ]),
  policy('two', [{ name: 'label', match, mutate: { patchStrategicMerge: { metadata: { labels: { '+(x)': 'y' } } } } }]),
  policy('three', [{ name: 'security', match, validate: { podSecurity: { level: 'baseline', version: 'latest' } } }]),
  policy('four', [
    {
      name: 'made',
      match,
      generate: { apiVersion: 'v1', kind: 'ConfigMap', name: 'm', namespace: 'default', data: { data: { a: 'b' } } },
    },
  ]),
];
const spec: JsonObject = {
  containers: [{ name: 'c', image: 'x:latest', securityContext: { privileged: true } }],
  hostNetwork: true,
};
const resources: readonly JsonObject[] = [
  pod('p', spec),
  pod('q', spec, { namespace: 'team', labels: { app: 'x' } }),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'p' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
  },
];

const exceptions: readonly JsonObject[] = [
  { exceptions: [{ policyName: 'one', ruleNames: ['latest'] }], match },
  { exceptions: [{ policyName: 'one', ruleNames: ['latest', 'network'] }], match },
  { exceptions: [{ policyName: 'one', ruleNames: ['*'] }], match },
  { exceptions: [{ policyName: 'one', ruleNames: ['late*'] }], match },
  { exceptions: [{ policyName: 'o*', ruleNames: ['latest'] }], match },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest', 'autogen-latest'] }],
    match: { any: [{ resources: { kinds: ['Pod', 'Deployment'] } }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['autogen-*'] }],
    match: { any: [{ resources: { kinds: ['Deployment'] } }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match: { any: [{ resources: { kinds: ['Pod'], names: ['p'] } }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match: { any: [{ resources: { kinds: ['Pod'], namespaces: ['team'] } }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match: { all: [{ resources: { kinds: ['Pod'] } }, { resources: { namespaces: ['team'] } }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match: { any: [{ resources: { kinds: ['Pod'], selector: { matchLabels: { app: 'x' } } } }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match,
    conditions: { any: [{ key: '{{ request.object.metadata.name }}', operator: 'Equals', value: 'p' }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match,
    conditions: { all: [{ key: '{{ request.object.spec.missing }}', operator: 'Equals', value: 'p' }] },
  },
  { exceptions: [{ policyName: 'two', ruleNames: ['label'] }], match },
  { exceptions: [{ policyName: 'three', ruleNames: ['security'] }], match },
  {
    exceptions: [{ policyName: 'three', ruleNames: ['security'] }],
    match,
    podSecurity: [{ controlName: 'Privileged Containers', images: ['*'] }],
  },
  {
    exceptions: [{ policyName: 'three', ruleNames: ['security'] }],
    match,
    podSecurity: [{ controlName: 'Privileged Containers', images: ['*'] }, { controlName: 'Host Namespaces' }],
  },
  {
    exceptions: [{ policyName: 'three', ruleNames: ['security'] }],
    match,
    podSecurity: [{ controlName: 'Host Namespaces', restrictedField: 'spec.hostNetwork', values: ['true'] }],
  },
  { exceptions: [{ policyName: 'four', ruleNames: ['made'] }], match },
  {
    exceptions: [
      { policyName: 'one', ruleNames: ['latest'] },
      { policyName: 'two', ruleNames: ['label'] },
    ],
    match,
  },
  {
    background: false,
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match: { any: [{ resources: { kinds: ['Pod'] }, subjects: [{ kind: 'User', name: 'alice' }] }] },
  },
  {
    exceptions: [{ policyName: 'one', ruleNames: ['latest'] }],
    match: { any: [{ resources: { kinds: ['Pod'], operations: ['UPDATE'] } }] },
  },
  { exceptions: [{ policyName: 'team/one', ruleNames: ['latest'] }], match },
];

/** Exceptions by rule, resource, condition, user and control. */
export const exceptionCases: readonly PolicyCase[] = exceptions.map((written, i) => ({
  name: `exception ${JSON.stringify(written)}`,
  policies,
  resources,
  exceptions: [
    {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: { name: `e${i}`, namespace: 'default' },
      spec: written,
    },
    ...(i % 5 === 4
      ? [
          {
            apiVersion: 'kyverno.io/v2',
            kind: 'PolicyException',
            metadata: { name: 'second', namespace: 'default' },
            spec: exceptions[0]!,
          },
        ]
      : []),
  ],
}));
