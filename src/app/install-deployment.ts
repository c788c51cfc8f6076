import path from 'node:path';
import {
  and,
  configChecksum,
  entries,
  type InstallTemplate,
  ifAny,
  image,
  installation,
  partOr,
  runs,
  scalar,
  structure,
  text,
  value,
  when,
} from './chart/scope.ts';
import { partFullName, partSelector } from './install-objects.ts';
import { webhookFeatures } from './install-rbac.ts';

/** Where the Secret with the certificate of the page is mounted. */
export const dashboardTlsFolder = '/var/run/supercargo/dashboard-tls';
const servesTls = and(runs('dashboard'), value('dashboard.tls.existingSecret'));

/** Where the configuration of a part is mounted. */
export const configFile = '/etc/supercargo/config.yaml';

interface DeploymentOptions {
  readonly metadata: InstallTemplate;
  readonly podLabels: InstallTemplate;
}

/** The pods of a part. A new pod is ready before an old one ends, so that every review is answered. */
export const deployment = ({ podLabels, metadata }: DeploymentOptions): InstallTemplate => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    replicas: scalar(partOr('replicas')),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    selector: { matchLabels: partSelector },
    template: {
      metadata: {
        labels: entries(podLabels, value('podLabels')),
        annotations: entries({ 'supercargo.dev/config-checksum': scalar(configChecksum) }, value('podAnnotations')),
      },
      spec: {
        serviceAccountName: scalar(partFullName),
        imagePullSecrets: ifAny(value('imagePullSecrets')),
        priorityClassName: when(value('priorityClassName'), scalar(value('priorityClassName'))),
        securityContext: structure(value('podSecurityContext')),
        // Longer than the webhooks go on to answer after the signal to end.
        terminationGracePeriodSeconds: 30,
        containers: [
          {
            name: 'supercargo',
            image: scalar(image),
            imagePullPolicy: scalar(value('image.pullPolicy')),
            args: ['run', '--config', configFile],
            env,
            ports: [
              { name: 'http', containerPort: 8080 },
              when(runs(...webhookFeatures), { name: 'webhook', containerPort: 9443 }),
              when(runs('dashboard'), { name: 'dashboard', containerPort: 8090 }),
            ],
            readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 5 },
            livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
            resources: structure(partOr('resources')),
            securityContext: structure(value('securityContext')),
            volumeMounts: [
              { name: 'config', mountPath: path.posix.dirname(configFile), readOnly: true },
              // Clones of Git repositories, and keys while git runs.
              { name: 'temporary', mountPath: '/tmp' },
              when(servesTls, { name: 'dashboard-tls', mountPath: dashboardTlsFolder, readOnly: true }),
              when(value('extraVolumeMounts'), structure(value('extraVolumeMounts'))),
            ],
          },
        ],
        nodeSelector: ifAny(value('nodeSelector')),
        tolerations: ifAny(value('tolerations')),
        affinity: ifAny(value('affinity')),
        topologySpreadConstraints: when(
          value('topologySpreadConstraints'),
          structure(value('topologySpreadConstraints')),
          [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: partSelector },
            },
          ],
        ),
        volumes: [
          { name: 'config', configMap: { name: scalar(partFullName) } },
          // Only Git repositories take space.
          { name: 'temporary', emptyDir: { sizeLimit: when(runs('create'), '2Gi', '64Mi') } },
          when(servesTls, {
            name: 'dashboard-tls',
            secret: { secretName: scalar(value('dashboard.tls.existingSecret')) },
          }),
          when(value('extraVolumes'), structure(value('extraVolumes'))),
        ],
      },
    },
  },
});

/** With it a restarted container recognises the Leases of its predecessor. */
const podIdentity = [
  ['POD_NAME', 'metadata.name'],
  ['POD_UID', 'metadata.uid'],
].map(([name, fieldPath]) => ({ name: name!, valueFrom: { fieldRef: { fieldPath: fieldPath! } } }));

const fromSecret = (secret: InstallTemplate, keys: Readonly<Record<string, string>>): readonly InstallTemplate[] =>
  Object.entries(keys).map(([name, key]) => ({
    name,
    valueFrom: { secretKeyRef: { name: secret, key, optional: true } },
  }));

/** Beside our own, values from Secrets that the user creates, if needed. */
const env: readonly InstallTemplate[] = [
  ...podIdentity,
  when(
    runs('mirror'),
    fromSecret(
      when(
        value('mirror.existingSecret'),
        scalar(value('mirror.existingSecret')),
        text`${installation}-backup-registry`,
      ),
      { BACKUP_REGISTRY_USERNAME: 'username', BACKUP_REGISTRY_PASSWORD: 'password' },
    ),
  ),
  when(runs('sync', 'jobs'), [
    { name: 'FAIRWINDS_INSIGHTS_HOST', value: scalar(value('insights.host')) },
    ...fromSecret(scalar(value('insights.existingSecret')), {
      FAIRWINDS_TOKEN: 'token',
      FAIRWINDS_ORG: 'org',
      FAIRWINDS_CLUSTER: 'cluster',
    }),
  ]),
  when(value('extraEnv'), structure(value('extraEnv'))),
];
