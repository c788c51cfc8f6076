import type { JsonObject } from '../../../../src/base/index.ts';
import { policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const texts = [
  '{{ request.object.metadata.name }}',
  '{{request.object.metadata.name}}',
  'a {{ request.object.metadata.name }} b',
  '{{ request.object.spec.n }}',
  'n={{ request.object.spec.n }}',
  '{{ request.object.spec.list }}',
  'l={{ request.object.spec.list }}',
  '{{ request.object.spec.map }}',
  'm={{ request.object.spec.map }}',
  '{{ request.object.spec.missing }}',
  "{{ request.object.spec.missing || 'none' }}",
  '{{ request.object.spec.nil }}',
  'x{{ request.object.spec.nil }}y',
  '{{ request.object.spec.f }}',
  'x{{ request.object.spec.t }}',
  '\\{{ request.object.metadata.name }}',
  '{{- request.object.spec.tpl }}',
  '{{ request.object.spec.tpl }}',
  '{{ request.object.spec.{{ request.object.spec.key }} }}',
  '{{ request.object.spec.list[{{ request.object.spec.n }}] }}',
  "{{ to_upper('{{ request.object.metadata.name }}') }}",
  '{{ request.operation }}',
  '{{ request.namespace }}',
  '{{ request.object.metadata.namespace }}',
  '{{ request.userInfo.username }}',
  '{{ request.userInfo }}',
  '{{ serviceAccountName }}',
  '{{ serviceAccountNamespace }}',
  '{{ request.roles }}',
  '{{ request.clusterRoles }}',
  '{{ images }}',
  '{{ request.oldObject }}',
  '{{ request.oldObject.spec.n || `7` }}',
  '{{ request.kind.kind }}',
  '{{ request.name }}',
  '{{ request.dryRun }}',
  '{{ element }}',
  '{{ elementIndex }}',
  '{{ @ }}',
  '{{@}}',
  '{{ target.metadata.name }}',
  '{{ v1 }}',
  '{{ v2 }} {{ v1 }}',
  '{{ obj.a.b }}',
  '{{ dflt }}',
  '{{ lst[0] }}',
  '{{ late }}',
  '{{ request.object.metadata.labels.app }}',
  '{{ request.object.metadata.labels."app.kubernetes.io/name" }}',
  '{{ request.object.metadata.annotations."a/b" }}',
  '{{ request.object.spec.list[*].x }}',
  '{{ length(request.object.spec.list) }}',
  '{{ time_now_utc() }}x',
  '{{',
  '{{ }}',
  '{{ request.object.spec.bad( }}',
  '{{ "quoted" }}',
  "{{ 'lit' }}",
  '{{ `5` }}',
  '{{ `{"a":1}` }}',
  'a{{ `null` }}b',
  '{{ request.object.spec.s }}{{ request.object.spec.s }}',
  '{{ request.object.spec.s }} {{ request.object.spec.n }}',
  "{{ request.object.spec.s == 'str' }}",
  '{{request.object.spec.quote}}',
  'q {{request.object.spec.quote}}',
  '{{request.object.spec.nl}}',
  '$(../n) {{ request.object.spec.n }}',
  '$(./../n)',
  '{{ request.object.spec.amp }}',
  'x {{ request.object.spec.amp }}',
  '{{ request.object.spec.lt }}',
  'x {{ request.object.spec.lt }}',
];

const resource = widget(
  'w',
  {
    n: 1,
    f: 1.5,
    t: true,
    s: 'str',
    nil: null,
    list: ['x', 'y'],
    map: { b: 2, a: 'q"' },
    key: 's',
    tpl: '{{ request.object.metadata.name }}',
    quote: 'a"b\\c',
    nl: 'a\nb',
    amp: 'a & <b>',
    lt: { a: '<&>' },
  },
  { labels: { app: 'shop', 'app.kubernetes.io/name': 'n' } },
);

const context: readonly JsonObject[] = [
  { name: 'v1', variable: { value: 'one' } },
  { name: 'v2', variable: { value: '{{ v1 }}-two' } },
  { name: 'obj', variable: { value: { a: { b: '{{ v2 }}' } } } },
  { name: 'dflt', variable: { jmesPath: 'request.object.spec.missing', default: 'fallback' } },
  { name: 'lst', variable: { jmesPath: 'request.object.spec.list' } },
];

const each = (of: (text: string) => JsonObject, name: string): PolicyCase[] =>
  texts.map((text) => ({
    name: `${name} ${text}`,
    policies: [policy('variables', [rule('r', { context, ...of(text) })], { background: false })],
    resources: [resource],
  }));

/** Variables as texts, types and keys, in messages, patterns, conditions, contexts and patches. */
export const variableCases: readonly PolicyCase[] = [
  ...each((text) => ({ validate: { message: text, pattern: { spec: { n: 2 } } } }), 'message'),
  ...each((text) => ({ validate: { message: 'no', pattern: { spec: { s: text } } } }), 'pattern'),
  ...each(
    (text) => ({
      validate: {
        message: `m ${text}`,
        deny: { conditions: { any: [{ key: text, operator: 'Equals', value: 'w', message: `c ${text}` }] } },
      },
    }),
    'condition',
  ),
  ...each(
    (text) => ({
      validate: { message: 'no', deny: { conditions: { any: [{ key: 'w', operator: 'AnyIn', value: text }] } } },
    }),
    'value',
  ),
  ...each(
    (text) => ({
      preconditions: { all: [{ key: text, operator: 'NotEquals', value: 'w' }] },
      validate: { message: 'no', pattern: { spec: { n: 2 } } },
    }),
    'precondition',
  ),
  ...each((text) => ({ mutate: { patchStrategicMerge: { spec: { out: text } } } }), 'merge'),
  ...each(
    (text) => ({ mutate: { patchStrategicMerge: { metadata: { annotations: { [`k-${text}`]: 'v' } } } } }),
    'key',
  ),
  ...each(
    (text) => ({ mutate: { patchesJson6902: `- op: add\n  path: /spec/out\n  value: ${JSON.stringify(text)}\n` } }),
    'json patch',
  ),
  ...each(
    (text) => ({ mutate: { patchesJson6902: `- op: add\n  path: /spec/out\n  value: "${text}"\n` } }),
    'json patch text',
  ),
  ...each(
    (text) => ({
      context: [...context, { name: 'last', variable: { value: text } }],
      validate: { message: '{{ last }}', pattern: { spec: { n: 2 } } },
    }),
    'context',
  ),
  ...each(
    (text) => ({
      context: [...context, { name: 'last', variable: { value: text, jmesPath: 'to_string(@)', default: 'd' } }],
      validate: { message: '{{ last }}', deny: {} },
    }),
    'context path',
  ),
  ...each(
    (text) => ({
      validate: {
        message: 'all',
        foreach: [
          {
            list: 'request.object.spec.list',
            deny: { conditions: { any: [{ key: text, operator: 'Equals', value: '{{ element }}', message: text }] } },
          },
        ],
      },
    }),
    'loop',
  ),
];
