import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { renderTable } from './render-table.ts';
import type { CustomColumn } from './types.ts';

const now = Date.parse('2026-01-10T00:00:00Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace('.000', '');

function print(
  resource: string,
  objects: readonly object[],
  options: { wide?: boolean; columns?: CustomColumn[] } = {},
) {
  const [name = '', ...group] = resource.split('.');
  const table = renderTable({
    resource: { group: group.join('.'), version: 'v1', resource: name, kind: '' },
    objects: objects as KubeObject[],
    now,
    includeObject: 'None',
    ...(options.columns ? { columns: options.columns } : {}),
  });
  const columns = table.columnDefinitions ?? [];
  for (const row of table.rows) expect(row.cells).toHaveLength(columns.length);
  const shown = columns.flatMap((column, index) => (column.priority === 0 || options.wide ? [index] : []));
  const line = (cells: readonly unknown[]) => shown.map((index) => String(cells[index] ?? '<none>')).join(' | ');
  return [
    '',
    line(columns.map((column) => column.name.toUpperCase())),
    ...table.rows.map((row) => line(row.cells)),
    '',
  ].join('\n');
}

const meta = (name: string, seconds = 90) => ({ name, creationTimestamp: ago(seconds) });

function pod(name: string, status: object, extra: { metadata?: object; spec?: object } = {}) {
  return {
    metadata: { ...meta(name), ...extra.metadata },
    spec: { containers: [{ name: 'app' }], ...extra.spec },
    status,
  };
}
const running = { name: 'app', ready: true, restartCount: 0, state: { running: {} } };

describe('pods', () => {
  test('the status column says what a person should look at', () => {
    const init = { spec: { initContainers: [{ name: 'i1' }, { name: 'i2' }] } };
    expect(
      print('pods', [
        pod('running', { phase: 'Running', containerStatuses: [running] }),
        pod('pending', { phase: 'Pending' }),
        pod('crash', {
          phase: 'Running',
          containerStatuses: [
            {
              name: 'app',
              ready: false,
              restartCount: 3,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { exitCode: 1, finishedAt: ago(300) } },
            },
          ],
        }),
        pod('done', {
          phase: 'Succeeded',
          containerStatuses: [
            { name: 'app', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
          ],
        }),
        pod('signal', {
          phase: 'Failed',
          containerStatuses: [
            { name: 'app', ready: false, restartCount: 0, state: { terminated: { exitCode: 137, signal: 9 } } },
          ],
        }),
        pod('evicted', { phase: 'Failed', reason: 'Evicted' }),
        pod('going', { phase: 'Running', containerStatuses: [running] }, { metadata: { deletionTimestamp: ago(1) } }),
        pod(
          'init',
          {
            phase: 'Pending',
            initContainerStatuses: [
              { name: 'i1', ready: true, restartCount: 0, state: { terminated: { exitCode: 0 } } },
              { name: 'i2', ready: false, restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } },
            ],
          },
          init,
        ),
        pod(
          'init-fails',
          {
            phase: 'Pending',
            initContainerStatuses: [
              { name: 'i1', ready: false, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } },
            ],
          },
          init,
        ),
        pod('gated', { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }),
        pod(
          'sidecar',
          {
            phase: 'Running',
            initContainerStatuses: [{ name: 's', ready: true, started: true, restartCount: 1, state: { running: {} } }],
            containerStatuses: [running],
          },
          { spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }] } },
        ),
      ]),
    ).toMatchInlineSnapshot(`
      "
      NAME | READY | STATUS | RESTARTS | AGE
      running | 1/1 | Running | 0 | 90s
      pending | 0/1 | Pending | 0 | 90s
      crash | 0/1 | CrashLoopBackOff | 3 (5m ago) | 90s
      done | 0/1 | Completed | 0 | 90s
      signal | 0/1 | Signal:9 | 0 | 90s
      evicted | 0/1 | Evicted | 0 | 90s
      going | 1/1 | Terminating | 0 | 90s
      init | 0/1 | Init:1/2 | 0 | 90s
      init-fails | 0/1 | Init:CrashLoopBackOff | 2 | 90s
      gated | 0/1 | SchedulingGated | 0 | 90s
      sidecar | 2/2 | Running | 1 | 90s
      "
    `);
  });

  test('wide output adds where the pod runs', () => {
    const placed = pod(
      'placed',
      {
        phase: 'Running',
        podIPs: [{ ip: '10.0.0.7' }],
        containerStatuses: [running],
        conditions: [{ type: 'example.com/ready', status: 'True' }],
      },
      { spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'example.com/ready' }, { conditionType: 'x' }] } },
    );
    expect(print('pods', [placed, pod('waiting', { phase: 'Pending' })], { wide: true })).toMatchInlineSnapshot(`
      "
      NAME | READY | STATUS | RESTARTS | AGE | IP | NODE | NOMINATED NODE | READINESS GATES
      placed | 1/1 | Running | 0 | 90s | 10.0.0.7 | n1 | <none> | 1/2
      waiting | 0/1 | Pending | 0 | 90s | <none> | <none> | <none> | <none>
      "
    `);
  });

  test('a finished pod marks its row as completed, so that watchers can leave it out', () => {
    const table = renderTable({
      resource: { group: '', version: 'v1', resource: 'pods', kind: 'Pod' },
      objects: [pod('done', { phase: 'Succeeded' }), pod('on', { phase: 'Running' })] as unknown as KubeObject[],
      now,
      includeObject: 'None',
    });
    expect(table.rows.map((row) => row.conditions?.[0]?.type)).toEqual(['Completed', undefined]);
  });
});

describe('workloads', () => {
  const template = {
    spec: {
      containers: [
        { name: 'a', image: 'nginx:1' },
        { name: 'b', image: 'busybox' },
      ],
    },
  };
  const selector = {
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['b', 'a'] },
      { key: 'beta', operator: 'DoesNotExist' },
    ],
  };
  test.each([
    [
      'deployments.apps',
      {
        metadata: meta('web'),
        spec: { replicas: 3, template, selector },
        status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 },
      },
      'web | 2/3 | 3 | 2 | 90s | a,b | nginx:1,busybox | app=web,!beta,tier in (a,b)',
    ],
    [
      'replicasets.apps',
      { metadata: meta('web-1'), spec: { replicas: 3, template, selector: {} }, status: { replicas: 2 } },
      'web-1 | 3 | 2 | 0 | 90s | a,b | nginx:1,busybox | <none>',
    ],
    [
      'statefulsets.apps',
      { metadata: meta('db'), spec: { replicas: 2, template }, status: { readyReplicas: 1 } },
      'db | 1/2 | 90s | a,b | nginx:1,busybox',
    ],
    [
      'daemonsets.apps',
      { metadata: meta('agent'), spec: { template }, status: { desiredNumberScheduled: 2, numberReady: 1 } },
      'agent | 2 | 0 | 1 | 0 | 0 | <none> | 90s | a,b | nginx:1,busybox | <none>',
    ],
    [
      'jobs.batch',
      {
        metadata: meta('copy'),
        spec: { completions: 2, template },
        status: {
          succeeded: 2,
          startTime: ago(90),
          completionTime: ago(60),
          conditions: [{ type: 'Complete', status: 'True' }],
        },
      },
      'copy | Complete | 2/2 | 30s | 90s | a,b | nginx:1,busybox | <none>',
    ],
    [
      'jobs.batch',
      { metadata: meta('many'), spec: { parallelism: 3, template }, status: { startTime: ago(10) } },
      'many | Running | 0/1 of 3 | 10s | 90s | a,b | nginx:1,busybox | <none>',
    ],
    [
      'cronjobs.batch',
      {
        metadata: meta('nightly'),
        spec: { schedule: '0 0 * * *', suspend: false, jobTemplate: { spec: { template } } },
      },
      'nightly | 0 0 * * * | <none> | False | 0 | <none> | 90s | a,b | nginx:1,busybox | <none>',
    ],
  ])('%s', (resource, object, expected) => {
    expect(print(resource, [object], { wide: true }).split('\n')[2]).toBe(expected);
  });
});

describe('the rest of the cluster', () => {
  test.each([
    [
      'services',
      {
        metadata: meta('web'),
        spec: {
          type: 'NodePort',
          clusterIPs: ['10.0.0.1'],
          ports: [
            { port: 80, nodePort: 30080, protocol: 'TCP' },
            { port: 53, protocol: 'UDP' },
          ],
        },
      },
      'web | NodePort | 10.0.0.1 | <none> | 80:30080/TCP,53/UDP | 90s',
    ],
    [
      'services',
      { metadata: meta('lb'), spec: { type: 'LoadBalancer' } },
      'lb | LoadBalancer | <none> | <pending> | <none> | 90s',
    ],
    [
      'endpoints',
      {
        metadata: meta('e'),
        subsets: [{ addresses: [1, 2, 3, 4, 5].map((n) => ({ ip: `10.0.0.${n}` })), ports: [{ port: 80 }] }],
      },
      'e | 10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more... | 90s',
    ],
    [
      'endpointslices.discovery.k8s.io',
      { metadata: meta('s'), addressType: 'IPv4', ports: [{ port: 80 }], endpoints: [] },
      's | IPv4 | 80 | <unset> | 90s',
    ],
    [
      'ingresses.networking.k8s.io',
      { metadata: meta('i'), spec: { rules: [{ host: 'a' }, { host: 'b' }, { host: 'c' }, { host: 'd' }], tls: [{}] } },
      'i | <none> | a,b,c + 1 more... |  | 80, 443 | 90s',
    ],
    ['namespaces', { metadata: meta('default'), status: { phase: 'Active' } }, 'default | Active | 90s'],
    [
      'nodes',
      {
        metadata: { ...meta('n1'), labels: { 'node-role.kubernetes.io/control-plane': '' } },
        spec: { unschedulable: true },
        status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1.36.3' } },
      },
      'n1 | Ready,SchedulingDisabled | control-plane | 90s | v1.36.3',
    ],
    ['configmaps', { metadata: meta('c'), data: { a: '1' }, binaryData: { b: '' } }, 'c | 2 | 90s'],
    ['secrets', { metadata: meta('s'), type: 'Opaque', data: { a: '' } }, 's | Opaque | 1 | 90s'],
    [
      'events',
      {
        metadata: meta('e'),
        involvedObject: { kind: 'Pod', name: 'web' },
        type: 'Normal',
        reason: 'Started',
        message: ' Container started\n',
        lastTimestamp: ago(5),
        firstTimestamp: ago(50),
      },
      '5s | Normal | Started | pod/web | Container started',
    ],
    [
      'events.events.k8s.io',
      {
        metadata: meta('e'),
        regarding: { kind: 'Pod', name: 'web' },
        type: 'Warning',
        reason: 'Failed',
        note: 'no',
        eventTime: ago(7),
      },
      '7s | Warning | Failed | pod/web | no',
    ],
    ['leases.coordination.k8s.io', { metadata: meta('l'), spec: { holderIdentity: 'me' } }, 'l | me | 90s'],
    ['clusterroles.rbac.authorization.k8s.io', { metadata: meta('admin') }, 'admin | 2026-01-09T23:58:30Z'],
    [
      'customresourcedefinitions.apiextensions.k8s.io',
      { metadata: meta('widgets.example.com') },
      'widgets.example.com | 2026-01-09T23:58:30Z',
    ],
    ['limitranges', { metadata: meta('l') }, 'l | 2026-01-09T23:58:30Z'],
    [
      'rolebindings.rbac.authorization.k8s.io',
      { metadata: meta('b'), roleRef: { kind: 'Role', name: 'r' } },
      'b | Role/r | 90s',
    ],
    [
      'validatingwebhookconfigurations.admissionregistration.k8s.io',
      { metadata: meta('v'), webhooks: [{}, {}] },
      'v | 2 | 90s',
    ],
    [
      'persistentvolumeclaims',
      {
        metadata: meta('data'),
        spec: { volumeName: 'pv-1', storageClassName: 'std' },
        status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
      },
      'data | Bound | pv-1 | 1Gi | RWO | std | <unset> | 90s',
    ],
    [
      'storageclasses.storage.k8s.io',
      {
        metadata: { ...meta('std'), annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'p',
      },
      'std (default) | p | Delete | Immediate | false | 90s',
    ],
    [
      'resourcequotas',
      { metadata: meta('q'), status: { hard: { pods: '5', 'limits.cpu': '2', cpu: '1' }, used: { pods: '2' } } },
      'q | cpu: 0/1, pods: 2/5 | limits.cpu: 0/2 | 90s',
    ],
    [
      'horizontalpodautoscalers.autoscaling',
      {
        metadata: meta('h'),
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'web' },
          maxReplicas: 4,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
        },
      },
      'h | Deployment/web | cpu: <unknown>/80% | <unset> | 4 | 0 | 90s',
    ],
    ['poddisruptionbudgets.policy', { metadata: meta('p'), spec: { minAvailable: 1 } }, 'p | 1 | N/A | 0 | 90s'],
    ['networkpolicies.networking.k8s.io', { metadata: meta('n'), spec: { podSelector: {} } }, 'n | <none> | 90s'],
    ['priorityclasses.scheduling.k8s.io', { metadata: meta('p'), value: 10 }, 'p | 10 | false | 90s | '],
  ])('%s', (resource, object, expected) => {
    expect(print(resource, [object]).split('\n')[2]).toBe(expected);
  });
});

describe('custom resources', () => {
  test('without columns of their own they show name and age', () => {
    expect(print('widgets.example.com', [{ metadata: meta('w') }], { columns: [] })).toMatchInlineSnapshot(`
      "
      NAME | AGE
      w | 90s
      "
    `);
  });

  test('each type of column takes its own values and leaves a cell empty for others', () => {
    const columns = ['integer', 'number', 'string', 'boolean', 'date'].map((type) => ({
      name: type,
      type,
      jsonPath: '.v',
    }));
    const values = [7, 1.5, 'text', true, ago(30), { b: '<', a: [1] }, null, undefined];
    const objects = values.map((v, index) => ({ metadata: meta(`w${index}`), ...(v === undefined ? {} : { v }) }));
    expect(print('widgets.example.com', objects, { columns })).toMatchInlineSnapshot(`
      "
      NAME | INTEGER | NUMBER | STRING | BOOLEAN | DATE
      w0 | 7 | 7 | 7 | <none> | <none>
      w1 | 1 | 1.5 | 1.5 | <none> | <none>
      w2 | <none> | <none> | text | <none> | <invalid>
      w3 | <none> | <none> | true | true | <none>
      w4 | <none> | <none> | 2026-01-09T23:59:30Z | <none> | 30s
      w5 | <none> | <none> | {"a":[1],"b":"\\u003c"} | <none> | <none>
      w6 | <none> | <none> | <no value> | <none> | <none>
      w7 | <none> | <none> | <none> | <none> | <none>
      "
    `);
  });

  test('only the first of several results is shown, and a path that does not fit leaves its cell empty', () => {
    const columns = [
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'First', type: 'string', jsonPath: '.status.conditions[*].type' },
      { name: 'Odd', type: 'string', jsonPath: '.metadata.name[0]', priority: 1 },
    ];
    const status = {
      conditions: [
        { type: 'Synced', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
    };
    expect(
      print('widgets.example.com', [{ metadata: meta('w'), status }], { columns, wide: true }),
    ).toMatchInlineSnapshot(`
      "
      NAME | READY | FIRST | ODD
      w | True | Synced | <none>
      "
    `);
  });
});

test('a row carries what was asked for: metadata, the object, or nothing', () => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: {} };
  const row = (includeObject: 'Metadata' | 'Object' | 'None') =>
    renderTable({
      resource: { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap' },
      objects: [object],
      now,
      includeObject,
      headers: includeObject !== 'None',
    });
  expect(row('Object').rows[0]?.object).toBe(object);
  expect(row('Metadata').rows[0]?.object).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { name: 'c' },
  });
  expect(row('None')).toMatchObject({ columnDefinitions: null, rows: [{ object: null }] });
});
