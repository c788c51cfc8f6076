import type { Fields } from '../value.ts';

/** One object sent to a server as a new one; what a real server answered is in recorded.json under the title. */
export interface Case {
  readonly title: string;
  readonly object: Fields;
  /** A second object of the same name, sent as an update of the first, which must be accepted. */
  readonly update?: Fields;
}

const pod = (spec: Fields, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  spec,
});
const container = (fields: Fields = {}): Fields => ({ name: 'app', image: 'nginx:1.27', ...fields });
const template = (spec: Fields = {}, labels: Fields = { app: 'web' }): Fields => ({
  metadata: { labels },
  spec: { containers: [container()], ...spec },
});
const workload = (kind: string, spec: Fields): Fields => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...spec },
});
const job = (spec: Fields): Fields => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'once' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [container()] } }, ...spec },
});
const cronJob = (spec: Fields): Fields => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'often' },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: job({})['spec'] }, ...spec },
});
const service = (spec: Fields): Fields => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec });
const configMap = (fields: Fields): Fields => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cm' },
  ...fields,
});
const secret = (fields: Fields): Fields => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...fields });
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const hook = (fields: Fields = {}): Fields => ({
  name: 'check.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { name: 'hook', namespace: 'default' } },
  rules: [rule],
  ...fields,
});
const webhooks = (kind: string, ...hooks: Fields[]): Fields => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: 'hooks' },
  webhooks: hooks,
});
const rbac = (kind: string, fields: Fields): Fields => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'reader' },
  ...fields,
});
const viewer = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

export const builtinCases: readonly Case[] = [
  // Defaults.
  { title: 'a small pod gets its defaults', object: pod({ containers: [container()] }) },
  {
    title: 'pull policy follows the tag',
    object: pod({
      containers: [
        container({ name: 'a', image: 'nginx' }),
        container({ name: 'b', image: 'nginx:latest' }),
        container({ name: 'c', image: 'host:5000/nginx' }),
        container({
          name: 'd',
          image: 'nginx@sha256:4c1e997385b8fb4ad4d1d3c7e5af7ff3f882e94d07cf5b78de9e889bc60830e6',
        }),
        container({ name: 'e', image: 'nginx', imagePullPolicy: 'Never' }),
      ],
    }),
  },
  {
    title: 'ports, probes, env and volumes get their defaults',
    object: pod({
      hostNetwork: true,
      serviceAccountName: 'bot',
      containers: [
        container({
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: 80 } },
          readinessProbe: { grpc: { port: 80 }, periodSeconds: 5 },
          env: [
            { name: 'A', value: '' },
            { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          ],
          resources: { limits: { cpu: 1, memory: '1Gi' }, requests: { cpu: '500m' } },
          volumeMounts: [{ name: 'none', mountPath: '/none' }],
        }),
      ],
      volumes: [
        { name: 'none' },
        { name: 'cm', configMap: { name: 'cm' } },
        { name: 'secret', secret: { secretName: 's' } },
        { name: 'host', hostPath: { path: '/tmp' } },
        { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
      ],
    }),
  },
  {
    title: 'zero values that Go leaves out are left out',
    object: pod(
      {
        hostNetwork: false,
        nodeSelector: {},
        hostname: '',
        containers: [container({ command: [], args: null, env: [], stdin: false, workingDir: '' })],
        automountServiceAccountToken: false,
        initContainers: [],
      },
      { labels: {}, annotations: null, creationTimestamp: null, finalizers: [] },
    ),
  },
  { title: 'a deployment gets its defaults', object: workload('Deployment', {}) },
  {
    title: 'a recreated deployment has no rolling update',
    object: workload('Deployment', { strategy: { type: 'Recreate' } }),
  },
  { title: 'a daemon set gets its defaults', object: workload('DaemonSet', {}) },
  { title: 'a stateful set gets its defaults', object: workload('StatefulSet', { serviceName: 'web' }) },
  {
    title: 'a stateful set may mount its claims',
    object: workload('StatefulSet', {
      template: template({ containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })] }),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
      updateStrategy: { type: 'RollingUpdate' },
    }),
  },
  { title: 'a replica set gets its defaults', object: workload('ReplicaSet', {}) },
  { title: 'a cron job gets its defaults', object: cronJob({}) },
  { title: 'a service gets its defaults', object: service({ ports: [{ port: 80 }] }) },
  {
    title: 'a load balancer gets its defaults',
    object: service({ type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30080 }], sessionAffinity: 'ClientIP' }),
  },
  { title: 'an external name needs no ports', object: service({ type: 'ExternalName', externalName: 'example.com' }) },
  { title: 'a secret is opaque', object: secret({ data: { key: 'dmFsdWU=' } }) },
  {
    title: 'a namespace is labelled with its name',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } },
  },
  { title: 'a validating webhook gets its defaults', object: webhooks('ValidatingWebhookConfiguration', hook()) },
  { title: 'a mutating webhook gets its defaults', object: webhooks('MutatingWebhookConfiguration', hook()) },
  { title: 'a role may be empty', object: rbac('Role', {}) },
  {
    title: 'a role binding gets its groups',
    object: rbac('RoleBinding', {
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'User', name: 'jane' },
        { kind: 'ServiceAccount', name: 'bot', namespace: 'default' },
      ],
    }),
  },
  {
    title: 'a network policy is about ingress',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'np' },
      spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] },
    },
  },
  {
    title: 'an autoscaler gets its metric',
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'hpa' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        behavior: {},
      },
    },
  },
  {
    title: 'a claim gets its volume mode',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
    },
  },
  {
    title: 'an event keeps empty times as null',
    object: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'ev', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'web' },
      reason: 'Tested',
      type: 'Normal',
    },
  },
  {
    title: 'a lease',
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { renewTime: '2024-05-06T07:08:09.123456Z' },
    },
  },

  {
    title: 'an ingress',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i' },
      spec: {
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
            },
          },
        ],
      },
    },
  },
  {
    title: 'a disruption budget',
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'p' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    },
  },
  {
    title: 'a volume',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    },
  },
  {
    title: 'a storage class',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'example.com/fast',
    },
  },
  {
    title: 'a node',
    object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: { podCIDR: '', unschedulable: false } },
  },
  {
    title: 'a service account',
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'bot' },
      imagePullSecrets: [{ name: 'x' }],
      secrets: [],
    },
  },
  {
    title: 'endpoints',
    object: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'e' },
      subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
    },
  },
  {
    title: 'an endpoint slice',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'es' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'] }],
      ports: [{ port: 80 }],
    },
  },
  {
    title: 'a limit range',
    object: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'lr' },
      spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' } }] },
    },
  },
  {
    title: 'a resource quota',
    object: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'rq' }, spec: { hard: { pods: 10 } } },
  },
  {
    title: 'a priority class',
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1000,
      globalDefault: false,
      description: '',
    },
  },
  {
    title: 'a csi driver',
    object: { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'csi.example.com' }, spec: {} },
  },
  {
    title: 'an ingress class',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'ic' },
      spec: { controller: 'example.com/c', parameters: { kind: 'Params', name: 'p' } },
    },
  },
  {
    title: 'an admission policy',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'vap' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] },
    },
  },
  {
    title: 'an old autoscaler',
    object: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'hpa' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    },
  },
  {
    title: 'a replication controller',
    object: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'rc' },
      spec: { template: template() },
    },
  },
  {
    title: 'a pod template',
    object: { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'pt' }, template: template() },
  },
  {
    title: 'a controller revision',
    object: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'cr' },
      data: { spec: { a: [] } },
      revision: 1,
    },
  },
  { title: 'an empty config map', object: configMap({}) },
  { title: 'a secret from text', object: secret({ stringData: { a: 'b' }, data: { a: 'eA==', c: 'ZA==' } }) },
  { title: 'a daemon set that waits', object: workload('DaemonSet', { updateStrategy: { type: 'OnDelete' } }) },
  {
    title: 'a pod with everything small',
    object: pod({
      containers: [
        container({
          lifecycle: { preStop: { exec: { command: ['sleep', '1'] } }, postStart: { httpGet: { port: 'http' } } },
          securityContext: { privileged: false, capabilities: {}, runAsUser: 0, allowPrivilegeEscalation: false },
          startupProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 0 },
          envFrom: [{ configMapRef: { name: 'cm' } }, { prefix: 'P_', secretRef: { name: 's', optional: true } }],
          env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
        }),
      ],
      initContainers: [container({ name: 'init', restartPolicy: 'Always' })],
      tolerations: [{ operator: 'Exists' }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
      volumes: [
        { name: 'cm', configMap: { name: 'cm', items: [{ key: 'a', path: 'b' }] } },
        { name: 'd', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { name: 'e', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
        { name: 'p', persistentVolumeClaim: { claimName: 'c', readOnly: false } },
        {
          name: 'x',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
      ],
      dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
      imagePullSecrets: [{ name: 'pull' }],
      shareProcessNamespace: false,
      priority: null,
    }),
  },

  // Types.
  { title: 'replicas as text', object: workload('Deployment', { replicas: 'three' }) },
  { title: 'replicas with a fraction', object: workload('Deployment', { replicas: 1.5 }) },
  { title: 'replicas too large', object: workload('Deployment', { replicas: 3_000_000_000 }) },
  { title: 'a port as text', object: pod({ containers: [container({ ports: [{ containerPort: '80' }] })] }) },
  { title: 'an env value as a number', object: pod({ containers: [container({ env: [{ name: 'A', value: 1 }] })] }) },
  { title: 'a label as a number', object: pod({ containers: [container()] }, { labels: { a: 1 } }) },
  { title: 'a label as null', object: pod({ containers: [container()] }, { labels: { a: null } }) },
  { title: 'containers as an object', object: pod({ containers: {} }) },
  { title: 'a spec as text', object: { ...pod({}), spec: 'x' } },
  { title: 'a boolean as text', object: pod({ hostNetwork: 'true', containers: [container()] }) },
  { title: 'a bad quantity', object: pod({ containers: [container({ resources: { limits: { cpu: 'lots' } } })] }) },
  { title: 'bad base64', object: secret({ data: { key: 'not base64!' } }) },
  { title: 'a bad time', object: pod({ containers: [container()] }, { deletionTimestamp: 'yesterday' }) },
  {
    title: 'metadata as a list',
    object: { apiVersion: 'v1', kind: 'Pod', metadata: [], spec: { containers: [container()] } },
  },
  { title: 'unknown fields', object: pod({ foo: 1, containers: [container({ bar: { baz: 1 } })] }, { qux: 1 }) },

  // Metadata.
  { title: 'a bad pod name', object: pod({ containers: [container()] }, { name: 'Web_1' }) },
  { title: 'a bad generated name', object: pod({ containers: [container()] }, { name: 'web', generateName: 'Web-' }) },
  { title: 'a namespace with a dot', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } } },
  {
    title: 'a service that begins with a digit',
    object: { ...service({ ports: [{ port: 80 }] }), metadata: { name: '1web' } },
  },
  {
    title: 'a cluster role with colons',
    object: rbac('ClusterRole', { metadata: { name: 'system:Reader' }, rules: [] }),
  },
  { title: 'a cluster role with a slash', object: rbac('ClusterRole', { metadata: { name: 'a/b' }, rules: [] }) },
  { title: 'bad labels', object: pod({ containers: [container()] }, { labels: { 'a b': 'c' } }) },
  { title: 'a bad label value', object: pod({ containers: [container()] }, { labels: { a: 'b c' } }) },
  { title: 'a bad annotation key', object: pod({ containers: [container()] }, { annotations: { 'a/b/c': 'd' } }) },
  { title: 'a bad finalizer', object: pod({ containers: [container()] }, { finalizers: ['a b'] }) },
  {
    title: 'an owner without a uid',
    object: pod(
      { containers: [container()] },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '' }] },
    ),
  },

  // Pods.
  { title: 'a pod without containers', object: pod({ containers: [] }) },
  { title: 'a container without an image', object: pod({ containers: [{ name: 'app' }] }) },
  { title: 'a container without a name', object: pod({ containers: [{ image: 'nginx' }] }) },
  { title: 'containers of the same name', object: pod({ containers: [container(), container()] }) },
  { title: 'a container named in capitals', object: pod({ containers: [container({ name: 'App' })] }) },
  { title: 'a port out of range', object: pod({ containers: [container({ ports: [{ containerPort: 70_000 }] })] }) },
  {
    title: 'a bad port name',
    object: pod({ containers: [container({ ports: [{ containerPort: 80, name: 'a--B' }] })] }),
  },
  {
    title: 'a bad protocol',
    object: pod({ containers: [container({ ports: [{ containerPort: 80, protocol: 'ICMP' }] })] }),
  },
  {
    title: 'a mount without its volume',
    object: pod({ containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/d' }] })] }),
  },
  {
    title: 'volumes of the same name',
    object: pod({ containers: [container()], volumes: [{ name: 'v' }, { name: 'v' }] }),
  },
  {
    title: 'a volume of two types',
    object: pod({ containers: [container()], volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] }),
  },
  {
    title: 'a config map volume without a name',
    object: pod({ containers: [container()], volumes: [{ name: 'v', configMap: {} }] }),
  },
  { title: 'a bad restart policy', object: pod({ restartPolicy: 'Sometimes', containers: [container()] }) },
  { title: 'a bad pull policy', object: pod({ containers: [container({ imagePullPolicy: 'Maybe' })] }) },
  { title: 'an env with an equals sign', object: pod({ containers: [container({ env: [{ name: 'A=B' }] })] }) },
  {
    title: 'an env of two sources',
    object: pod({
      containers: [
        container({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      ],
    }),
  },
  {
    title: 'a probe without a handler',
    object: pod({ containers: [container({ livenessProbe: { periodSeconds: -1 } })] }),
  },
  { title: 'a bad deadline', object: pod({ activeDeadlineSeconds: 0, containers: [container()] }) },

  // Workloads.
  { title: 'a deployment without a selector', object: workload('Deployment', { selector: null }) },
  { title: 'a deployment with an empty selector', object: workload('Deployment', { selector: {} }) },
  {
    title: 'a selector that does not match',
    object: workload('Deployment', { selector: { matchLabels: { app: 'other' } } }),
  },
  { title: 'negative replicas', object: workload('Deployment', { replicas: -1 }) },
  {
    title: 'a deployment whose pods stop',
    object: workload('Deployment', { template: template({ restartPolicy: 'Never' }) }),
  },
  {
    title: 'a deployment that cannot roll',
    object: workload('Deployment', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
  },
  { title: 'a bad strategy', object: workload('Deployment', { strategy: { type: 'Blue' } }) },
  {
    title: 'a selector with a bad operator',
    object: workload('ReplicaSet', { selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } }),
  },
  { title: 'a job that always restarts', object: job({ template: { spec: { containers: [container()] } } }) },
  {
    title: 'a job with a bad restart policy',
    object: job({ template: { spec: { restartPolicy: 'Maybe', containers: [container()] } } }),
  },
  { title: 'an indexed job without completions', object: job({ completionMode: 'Indexed', parallelism: 2 }) },
  { title: 'a negative backoff limit', object: job({ backoffLimit: -1 }) },
  { title: 'a schedule of three fields', object: cronJob({ schedule: '* * *' }) },
  { title: 'a schedule out of range', object: cronJob({ schedule: '61 * * * *' }) },
  { title: 'a schedule of words', object: cronJob({ schedule: 'a b c d e' }) },
  { title: 'a schedule with a zone', object: cronJob({ schedule: 'TZ=UTC 0 * * * *' }) },
  { title: 'an unknown descriptor', object: cronJob({ schedule: '@often' }) },
  { title: 'a schedule by descriptor', object: cronJob({ schedule: '@hourly', timeZone: 'Europe/Berlin' }) },
  { title: 'a bad concurrency policy', object: cronJob({ concurrencyPolicy: 'Perhaps' }) },
  { title: 'an unknown time zone', object: cronJob({ timeZone: 'Mars/Olympus' }) },

  { title: 'a daemon set without a selector', object: workload('DaemonSet', { selector: null }) },
  {
    title: 'a stateful set with a bad selector',
    object: workload('StatefulSet', { selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
  },
  {
    title: 'a pod with a token but no account',
    object: pod({
      containers: [container()],
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
    }),
  },
  {
    title: 'a pod with several tolerations',
    object: pod({
      containers: [container()],
      topologySpreadConstraints: [],
      hostAliases: [{ ip: '1.2.3.4' }],
      dnsConfig: {},
      affinity: {},
    }),
  },

  // The rest.
  { title: 'a service without ports', object: service({}) },
  { title: 'service ports without names', object: service({ ports: [{ port: 80 }, { port: 81 }] }) },
  { title: 'a service port out of range', object: service({ ports: [{ port: 0 }] }) },
  { title: 'a bad service type', object: service({ type: 'Public', ports: [{ port: 80 }] }) },
  { title: 'a bad target port', object: service({ ports: [{ port: 80, targetPort: 'HTTP' }] }) },
  { title: 'a bad config key', object: configMap({ data: { 'a b': 'c' } }) },
  { title: 'a config key twice', object: configMap({ data: { a: 'c' }, binaryData: { a: 'Yw==' } }) },
  { title: 'a config map that is too large', object: configMap({ data: { a: 'x'.repeat(1024 * 1024 + 1) } }) },
  { title: 'a tls secret without keys', object: secret({ type: 'kubernetes.io/tls', data: {} }) },
  { title: 'a webhook with a short name', object: webhooks('ValidatingWebhookConfiguration', hook({ name: 'check' })) },
  {
    title: 'a webhook without side effects',
    object: webhooks('ValidatingWebhookConfiguration', hook({ sideEffects: null })),
  },
  {
    title: 'a webhook with some side effects',
    object: webhooks('MutatingWebhookConfiguration', hook({ sideEffects: 'Some' })),
  },
  {
    title: 'a webhook without review versions',
    object: webhooks('ValidatingWebhookConfiguration', hook({ admissionReviewVersions: [] })),
  },
  {
    title: 'a webhook of unknown versions',
    object: webhooks('ValidatingWebhookConfiguration', hook({ admissionReviewVersions: ['v2'] })),
  },
  {
    title: 'a webhook that takes too long',
    object: webhooks('ValidatingWebhookConfiguration', hook({ timeoutSeconds: 31 })),
  },
  {
    title: 'a webhook for unknown operations',
    object: webhooks('ValidatingWebhookConfiguration', hook({ rules: [{ ...rule, operations: ['READ'] }] })),
  },
  {
    title: 'a webhook for all and more',
    object: webhooks(
      'ValidatingWebhookConfiguration',
      hook({
        rules: [
          { operations: ['*', 'CREATE'], apiGroups: ['*', ''], apiVersions: ['*', 'v1'], resources: ['*', 'pods'] },
        ],
      }),
    ),
  },
  {
    title: 'a webhook by plain http',
    object: webhooks('ValidatingWebhookConfiguration', hook({ clientConfig: { url: 'http://user@host/?q#f' } })),
  },
  {
    title: 'a webhook by url and service',
    object: webhooks(
      'ValidatingWebhookConfiguration',
      hook({ clientConfig: { url: 'https://host', service: { name: 'a', namespace: 'b' } } }),
    ),
  },
  { title: 'webhooks of the same name', object: webhooks('ValidatingWebhookConfiguration', hook(), hook()) },
  {
    title: 'a binding without a role',
    object: rbac('ClusterRoleBinding', {
      roleRef: { kind: 'Role', name: '' },
      subjects: [
        { kind: 'Robot', name: 'x' },
        { kind: 'ServiceAccount', name: 'bot' },
      ],
    }),
  },
  {
    title: 'a rule without verbs',
    object: rbac('ClusterRole', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }),
  },
  {
    title: 'a namespaced rule for urls',
    object: rbac('Role', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }),
  },
  {
    title: 'a lease of no time',
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { leaseDurationSeconds: 0 },
    },
  },

  // Updates.
  {
    title: 'another selector',
    object: workload('Deployment', {}),
    update: workload('Deployment', { selector: { matchLabels: { app: 'b' } }, template: template({}, { app: 'b' }) }),
  },
  {
    title: 'another service name',
    object: workload('StatefulSet', { serviceName: 'a' }),
    update: workload('StatefulSet', { serviceName: 'b' }),
  },
  {
    title: 'another image of a pod',
    object: pod({ containers: [container()] }),
    update: pod({ containers: [container({ image: 'nginx:1.28' })] }),
  },
  {
    title: 'one container more',
    object: pod({ containers: [container()] }),
    update: pod({ containers: [container(), container({ name: 'b' })] }),
  },
  {
    title: 'data of an immutable config map',
    object: configMap({ immutable: true, data: { a: '1' } }),
    update: configMap({ immutable: true, data: { a: '2' } }),
  },
  {
    title: 'mutable again',
    object: secret({ immutable: true, data: { a: 'YQ==' } }),
    update: secret({ data: { a: 'Yg==' } }),
  },
  {
    title: 'another secret type',
    object: secret({ data: { a: 'YQ==' } }),
    update: secret({ type: 'example.com/other', data: { a: 'YQ==' } }),
  },
  {
    title: 'another role',
    object: rbac('RoleBinding', { roleRef: viewer, subjects: [] }),
    update: rbac('RoleBinding', { roleRef: { ...viewer, name: 'edit' }, subjects: [] }),
  },
  {
    title: 'another cluster ip',
    object: service({ clusterIP: '10.0.0.66', ports: [{ port: 80 }] }),
    update: service({ clusterIP: '10.0.0.77', ports: [{ port: 80 }] }),
  },
];
