import type { KubeObject } from '../../src/object/index.ts';

const probe = (path: string) => ({ httpGet: { path, port: 'http' }, periodSeconds: 10, failureThreshold: 3 });

const container = (name: string, image: string) => ({
  name,
  image,
  args: ['--config=/etc/app/config.yaml', '--log-format=json', '--listen=:8080'],
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'metrics', containerPort: 9090 },
  ],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    { name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef: { name: 'database', key: 'password' } } },
    { name: 'GOMEMLIMIT', value: '200MiB' },
  ],
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  livenessProbe: probe('/healthz'),
  readinessProbe: probe('/readyz'),
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app', readOnly: true },
    { name: 'tmp', mountPath: '/tmp' },
  ],
});

/** A pod as a Deployment with a sidecar has them: about 3 KB of JSON. */
export function podOf(namespace: string, index: number): KubeObject {
  const app = `service-${index % 200}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-7c9d8b6f5-${String(index).padStart(5, '0')}`,
      namespace,
      labels: {
        'app.kubernetes.io/name': app,
        'app.kubernetes.io/part-of': 'shop',
        'pod-template-hash': '7c9d8b6f5',
      },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9090',
        'checksum/config': 'b3f1d0c2a9e84e7d8c5b6a7988776655b3f1d0c2a9e84e7d8c5b6a7988776655',
      },
    },
    spec: {
      serviceAccountName: app,
      securityContext: { fsGroup: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        container('app', `registry.example.com/shop/${app}:1.${index % 40}.0`),
        container('proxy', 'registry.example.com/mesh/proxy:2.14.1'),
      ],
      tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'shop', effect: 'NoSchedule' }],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { 'app.kubernetes.io/name': app } },
        },
      ],
      volumes: [
        { name: 'config', configMap: { name: `${app}-config` } },
        { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      ],
    },
  };
}
