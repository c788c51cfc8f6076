import type { JsonObject } from '../../../../src/base/index.ts';
import { pod, policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const podRule = (name: string, body: JsonObject): JsonObject => ({
  ...rule(name, body),
  match: { any: [{ resources: { kinds: ['Pod'] } }] },
});

const merges: readonly JsonObject[] = [
  { metadata: { labels: { a: 'b' } } },
  { metadata: { labels: { '+(app)': 'new', '+(z)': 'new' } } },
  { metadata: { '+(labels)': { q: 'r' } } },
  { metadata: { '+(annotations)': { q: 'r' } } },
  { metadata: { labels: { app: null } } },
  { metadata: { labels: null } },
  { metadata: { '(labels)': { app: 'shop' }, annotations: { x: 'y' } } },
  { metadata: { labels: { '(app)': 'shop', z: 'y' } } },
  { metadata: { labels: { '(app)': 'other', z: 'y' } } },
  { metadata: { labels: { '(app)': 'sh*', '+(z)': 'y' } } },
  { '(metadata)': { labels: { app: 'shop' } }, spec: { hostNetwork: true } },
  { spec: { '(serviceAccountName)': 'x', hostNetwork: true } },
  { spec: { '=(serviceAccountName)': 'x', hostNetwork: true } },
  { spec: { '=(serviceAccountName)': 'sa', hostNetwork: true } },
  { spec: { 'X(serviceAccountName)': 'null', hostNetwork: true } },
  { spec: { containers: [{ '(name)': '*', imagePullPolicy: 'Always' }] } },
  { spec: { containers: [{ '(name)': 'a', imagePullPolicy: 'Always' }] } },
  { spec: { containers: [{ name: 'a', imagePullPolicy: 'Always' }] } },
  { spec: { containers: [{ name: 'new', image: 'x' }] } },
  { spec: { containers: [{ '(image)': '*:latest', imagePullPolicy: 'Always' }] } },
  { spec: { containers: [{ '(image)': '!*:latest', imagePullPolicy: 'Never' }] } },
  { spec: { containers: [{ '(image)': '*:latest', '+(imagePullPolicy)': 'Always' }] } },
  { spec: { containers: [{ '(name)': '*', resources: { limits: { '+(memory)': '1Gi' } } }] } },
  { spec: { containers: [{ '(name)': '*', '+(resources)': { limits: { memory: '1Gi' } } }] } },
  { spec: { containers: [{ '(name)': '*', env: [{ name: 'X', value: 'new' }] }] } },
  { spec: { containers: [{ '(name)': '*', '(resources)': { limits: { memory: '?*' } }, imagePullPolicy: 'Always' }] } },
  { spec: { containers: [{ '(name)': '*', ports: [{ containerPort: 80, name: 'web' }] }] } },
  { spec: { containers: [{ '(name)': '*', args: ['x'] }] } },
  { spec: { containers: [{ '(name)': '*', securityContext: { '+(runAsNonRoot)': true } }] } },
  { spec: { '=(initContainers)': [{ '(name)': '*', imagePullPolicy: 'Always' }] } },
  { spec: { initContainers: [{ '(name)': '*', imagePullPolicy: 'Always' }] } },
  { spec: { '(volumes)': [{ '(hostPath)': { path: '/x' } }], hostNetwork: true } },
  { spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] } },
  { spec: { volumes: [{ '(emptyDir)': {}, name: 'v', emptyDir: { sizeLimit: '1Gi' } }] } },
  { spec: { '<(hostNetwork)': true, hostPID: true } },
  { spec: { containers: [{ '<(image)': '*:latest', name: 'b', imagePullPolicy: 'Always' }], hostPID: true } },
  { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } },
  { spec: { '+(tolerations)': [{ key: 'k', operator: 'Exists' }] } },
  { spec: { imagePullSecrets: [{ name: 's' }] } },
  { spec: { '+(imagePullSecrets)': [{ name: 's' }] } },
  { spec: { hostAliases: [{ ip: '1.1.1.1', hostnames: ['x'] }] } },
  { spec: { nodeSelector: { '+(disk)': 'ssd' } } },
  { spec: { dnsConfig: { options: [{ name: 'ndots', value: '1' }] } } },
  { spec: { containers: [{ $patch: 'delete', name: 'a' }] } },
  { spec: { $patch: 'replace', containers: [{ name: 'z', image: 'z' }] } },
  { spec: { containers: [{ $patch: 'replace' }, { name: 'z', image: 'z' }] } },
  {
    spec: { affinity: { podAntiAffinity: { '+(preferredDuringSchedulingIgnoredDuringExecution)': [{ weight: 1 }] } } },
  },
  { spec: { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] } },
  {
    spec: {
      containers: [
        { '(name)': 'a', '+(image)': 'no', lifecycle: { preStop: { exec: { command: ['x'] } } } },
        { '(name)': 'b', tty: true },
      ],
    },
  },
  { metadata: { annotations: { '+(a/b)': '{{ request.object.metadata.name }}' } } },
  { spec: { containers: [{ '(name)': '*', image: '{{ @ }}x' }] } },
  { spec: { containers: [{ '(name)': '*', image: 'reg/{{ images.containers."{{name}}".path }}' }] } },
  { spec: { '(hostNetwork)': false, hostPID: true } },
  {},
];

const patches: readonly string[] = [
  '- {op: add, path: /metadata/labels/x, value: y}',
  '- {op: add, path: /metadata/annotations/x, value: y}',
  '- {op: add, path: "/metadata/annotations/a~1b", value: "1"}',
  '- {op: replace, path: /spec/containers/0/image, value: new}',
  '- {op: replace, path: /spec/containers/9/image, value: new}',
  '- {op: replace, path: /spec/missing, value: new}',
  '- {op: remove, path: /metadata/labels/app}',
  '- {op: remove, path: /metadata/labels/none}',
  '- {op: remove, path: /spec/containers/5}',
  '- {op: add, path: /spec/containers/-, value: {name: n, image: i}}',
  '- {op: add, path: /spec/containers/0, value: {name: n, image: i}}',
  '- {op: add, path: /spec/containers/-1, value: {name: n, image: i}}',
  '- {op: add, path: /spec/containers/7, value: {name: n, image: i}}',
  '- {op: remove, path: /spec/containers/-1}',
  '- {op: add, path: /spec/volumes/-, value: {name: n}}',
  '- {op: add, path: /spec/tolerations/0/key, value: k}',
  '- {op: add, path: /spec/a/b/c, value: 1}',
  '- {op: copy, from: /metadata/name, path: /metadata/labels/copied}',
  '- {op: move, from: /metadata/labels/app, path: /metadata/labels/moved}',
  '- {op: copy, from: /metadata/none, path: /metadata/labels/copied}',
  '- {op: test, path: /metadata/name, value: p1}\n- {op: add, path: /metadata/labels/t, value: ok}',
  '- {op: test, path: /metadata/none, value: null}',
  '- {op: bad, path: /metadata/name}',
  '- {path: /metadata/name}',
  '- {op: add, path: metadata/labels/x, value: y}',
  '- {op: add, path: "", value: {}}',
  '- {op: add, path: /, value: 1}',
  '[{"op":"add","path":"/metadata/labels/json","value":true}]',
  '{op: add, path: /metadata/labels/x, value: y}',
  'nonsense',
  '- op: add\n  path: "/metadata/labels/{{request.object.metadata.name}}"\n  value: "{{request.object.spec.containers[0].name}}"',
  '- {op: add, path: /metadata/labels/n, value: 5}',
  '- {op: add, path: /metadata/labels/empty, value: ""}',
  '- {op: add, path: /metadata/labels/nil}',
  '- {op: replace, path: /metadata/name, value: renamed}',
  '- {op: add, path: /spec/containers/0/env/-, value: {name: X, value: y}}',
  '- {op: add, path: /spec/containers/0/env/0, value: {name: X, value: y}}',
];

const loops: readonly JsonObject[] = [
  {
    list: 'request.object.spec.containers',
    patchStrategicMerge: { spec: { containers: [{ '(name)': '{{ element.name }}', image: 'r/{{ element.image }}' }] } },
  },
  {
    list: 'request.object.spec.containers',
    patchStrategicMerge: { spec: { containers: [{ name: '{{ element.name }}', '+(imagePullPolicy)': 'Always' }] } },
  },
  {
    list: 'request.object.spec.containers',
    patchesJson6902: '- op: replace\n  path: /spec/containers/{{elementIndex}}/image\n  value: r/{{element.image}}',
  },
  {
    list: 'request.object.spec.containers',
    patchesJson6902: '- op: add\n  path: /metadata/annotations/i{{elementIndex}}\n  value: "{{element.name}}"',
  },
  {
    list: 'request.object.spec.containers',
    patchesJson6902: '- op: remove\n  path: /spec/containers/{{elementIndex}}',
  },
  {
    list: 'request.object.spec.containers',
    order: 'Ascending',
    patchesJson6902: '- op: remove\n  path: /spec/containers/{{elementIndex}}',
  },
  {
    list: 'request.object.spec.containers',
    order: 'Descending',
    patchesJson6902: '- op: add\n  path: /spec/x/-\n  value: "{{element.name}}"',
  },
  {
    list: 'request.object.spec.containers',
    order: 'Ascending',
    patchesJson6902: '- op: add\n  path: /spec/x/-\n  value: "{{element.name}}"',
  },
  {
    list: 'request.object.spec.containers',
    patchesJson6902: '- op: add\n  path: /spec/x/-\n  value: "{{element.name}}"',
  },
  {
    list: 'request.object.spec.containers',
    preconditions: { all: [{ key: '{{ element.name }}', operator: 'Equals', value: 'b' }] },
    patchStrategicMerge: { metadata: { labels: { found: '{{ element.name }}' } } },
  },
  {
    list: 'request.object.spec.containers',
    preconditions: { all: [{ key: '{{ element.missing }}', operator: 'Equals', value: 'b' }] },
    patchStrategicMerge: { metadata: { labels: { found: '{{ element.name }}' } } },
  },
  {
    list: 'request.object.spec.containers',
    patchStrategicMerge: { metadata: { labels: { found: '{{ element.missing }}' } } },
  },
  { list: 'request.object.spec.missing', patchStrategicMerge: { metadata: { labels: { found: 'x' } } } },
  {
    list: 'request.object.spec.containers',
    context: [{ name: 'n', variable: { jmesPath: 'to_upper(element.name)' } }],
    patchStrategicMerge: { metadata: { labels: { 'l{{ elementIndex }}': '{{ n }}' } } },
  },
  {
    list: 'request.object.spec.containers',
    foreach: [
      {
        list: 'element.env',
        patchesJson6902:
          '- op: add\n  path: /metadata/annotations/{{ element0.name }}-{{ element1.name }}\n  value: "{{ elementIndex0 }}{{ elementIndex1 }}"',
      },
    ],
  },
  {
    list: 'request.object.spec.containers',
    foreach: [
      {
        list: 'element.ports || `[]`',
        patchesJson6902: '- op: add\n  path: /metadata/annotations/p{{ elementIndex }}\n  value: "x"',
      },
    ],
  },
  {
    list: 'request.object.metadata.labels',
    patchStrategicMerge: { metadata: { annotations: { '{{ element.key }}': '{{ element.value }}' } } },
  },
  {
    list: 'request.object.spec.containers[].name',
    patchStrategicMerge: { metadata: { labels: { 'c-{{ element }}': 'x' } } },
  },
  {
    list: 'request.object.spec.containers',
    patchStrategicMerge: { metadata: { labels: { '(app)': 'other', z: 'y' } } },
  },
];

const pods = [
  pod(
    'p1',
    {
      containers: [
        {
          name: 'a',
          image: 'x:latest',
          env: [
            { name: 'E', value: '1' },
            { name: 'X', value: 'old' },
          ],
        },
        {
          name: 'b',
          image: 'y:1',
          resources: { limits: { memory: '2Gi', cpu: '1' } },
          imagePullPolicy: 'IfNotPresent',
          ports: [{ containerPort: 80 }],
          args: ['a', 'b'],
        },
      ],
      serviceAccountName: 'sa',
      tolerations: [{ key: 't', operator: 'Exists' }],
    },
    { labels: { app: 'shop' } },
  ),
  pod('p2', {
    containers: [{ name: 'a', image: 'x' }],
    hostNetwork: true,
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'h', hostPath: { path: '/x' } },
    ],
    initContainers: [{ name: 'i', image: 'i:latest' }],
  }),
  pod(
    'p3',
    {
      containers: [
        {
          name: 'c',
          image: 'r/z@sha256:0000000000000000000000000000000000000000000000000000000000000000',
          securityContext: { runAsNonRoot: false },
        },
      ],
      imagePullSecrets: [{ name: 'o' }],
      nodeSelector: { disk: 'hdd' },
    },
    { labels: { app: 'other', z: 'old' }, annotations: { 'a/b': 'c' } },
  ),
];

const widgetMerges: readonly JsonObject[] = [
  { spec: { list: [{ name: 'a', v: 2 }] } },
  { spec: { list: [{ '(name)': 'a', v: 2 }] } },
  { spec: { list: [{ '(name)': '*', v: 2 }] } },
  { spec: { list: [{ '(name)': 'zz', v: 2 }] } },
  { spec: { plain: ['x'] } },
  { spec: { '+(plain)': ['x'] } },
  { spec: { m: { '+(k)': 1, l: 2 } } },
  { spec: { m: null } },
  { spec: { '(m)': { k: 'v' }, x: 1 } },
  { spec: { '(m)': { '(k)': 'v' }, x: 1 } },
  { spec: { m: { '(k)': 'v', x: 1 } } },
  { spec: { m: { '(n)': { o: 'p' }, x: 1 } } },
  { spec: { m: { n: { '(o)': 'p', x: 1 } } } },
  { spec: { m: { n: { '(o)': 'p' } }, x: 1 } },
  { spec: { '(list)': [{ '(name)': 'a' }], x: 1 } },
  { spec: { '(number)': '>5', x: 1 } },
  { spec: { '(number)': 10, x: 1 } },
  { spec: { '(flag)': true, x: 1 } },
  { spec: { '(flag)': 'true', x: 1 } },
  { spec: { '(none)': null, x: 1 } },
  { spec: { '(text)': 'a | b', x: 1 } },
  { spec: { '(text)': '', x: 1 } },
];
const widgets = [
  widget('w1', {
    list: [{ name: 'a', v: 1 }, { name: 'b' }],
    plain: ['p'],
    m: { k: 'v', n: { o: 'p' } },
    number: 10,
    flag: true,
    text: 'a',
  }),
  widget('w2', { m: { k: 'w' }, number: '4', flag: false, text: '' }),
  widget('w3', {}),
];

const autogenOff = { metadata: { annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' } } };
const mutation = (name: string, body: JsonObject, resources: readonly JsonObject[]): PolicyCase => {
  const written = policy('mutations', [resources === pods ? podRule('r', body) : rule('r', body)]);
  const metadata = { ...(written['metadata'] as JsonObject), ...autogenOff.metadata };
  return { name, policies: [{ ...written, metadata }], resources };
};

/** Mutations: merges with all anchors, JSON patches with odd paths, loops in both orders, and chains of rules. */
export const mutationCases: readonly PolicyCase[] = [
  ...merges.map((merge) =>
    mutation(`merge ${JSON.stringify(merge)}`, { mutate: { patchStrategicMerge: merge } }, pods),
  ),
  ...patches.map((patch) => mutation(`patch ${patch}`, { mutate: { patchesJson6902: patch } }, pods)),
  ...loops.map((loop) => mutation(`loop ${JSON.stringify(loop)}`, { mutate: { foreach: [loop] } }, pods)),
  ...loops.slice(1).map((loop, i) => mutation(`loops ${i}`, { mutate: { foreach: [loop, loops[i]!] } }, pods)),
  ...widgetMerges.map((merge) =>
    mutation(`widget ${JSON.stringify(merge)}`, { mutate: { patchStrategicMerge: merge } }, widgets),
  ),
  {
    name: 'a chain of rules and policies',
    policies: [
      policy('first', [
        rule('a', { mutate: { patchStrategicMerge: { spec: { one: '1' } } } }),
        rule('b', {
          preconditions: { all: [{ key: '{{ request.object.spec.one || `0` }}', operator: 'Equals', value: '1' }] },
          mutate: { patchStrategicMerge: { spec: { two: '{{ request.object.spec.one }}2' } } },
        }),
        rule('c', { mutate: { patchStrategicMerge: { spec: { '+(one)': 'again' } } } }),
      ]),
      policy('second', [
        rule('d', { mutate: { patchesJson6902: '- {op: move, from: /spec/two, path: /spec/three}' } }),
      ]),
      policy('third', [
        rule('e', {
          validate: { message: 'three is {{ request.object.spec.three }}', pattern: { spec: { three: '13' } } },
        }),
      ]),
      policy(
        'one',
        [
          rule('f', { mutate: { patchStrategicMerge: { spec: { f: 'f' } } } }),
          rule('g', { mutate: { patchStrategicMerge: { spec: { g: 'g' } } } }),
        ],
        { applyRules: 'One' },
      ),
    ],
    resources: widgets,
  },
];
