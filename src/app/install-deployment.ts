import type { KubeObject } from '../object/index.ts';
import { selectorOf } from './install-objects.ts';
import type { Part } from './install-parts.ts';
import { hasWebhooks } from './install-rbac.ts';

interface DeploymentOptions {
  readonly installation: string;
  readonly image: string;
  readonly replicas: number;
  readonly part: Part;
}

export function deployment(metadata: KubeObject['metadata'], options: DeploymentOptions): KubeObject {
  const { image, replicas, part } = options;
  const selector = selectorOf(metadata.labels ?? {});
  const controlPlane = { 'control-plane': part.name };
  const env = [...podIdentity, ...environmentOf(options)];
  const storage = storageOf(part);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels: { ...metadata.labels, ...controlPlane } },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...selector, ...controlPlane } },
        spec: {
          serviceAccountName: metadata.name,
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'supercargo',
              image,
              args: ['run', '--config', '/etc/supercargo/config.yaml'],
              env,
              ports: [
                { name: 'http', containerPort: 8080 },
                ...(hasWebhooks(part.features) ? [{ name: 'webhook', containerPort: 9443 }] : []),
              ],
              readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
              livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
              resources: {
                requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '64Mi' },
                limits: { memory: '512Mi', 'ephemeral-storage': storage.limit },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'config', mountPath: '/etc/supercargo', readOnly: true },
                // Clones of Git repositories, and keys while git runs.
                { name: 'temporary', mountPath: '/tmp' },
              ],
            },
          ],
          volumes: [
            { name: 'config', configMap: { name: metadata.name } },
            { name: 'temporary', emptyDir: { sizeLimit: storage.temporary } },
          ],
        },
      },
    },
  };
}

/**
 * Only Git repositories take space; the limit of the container is above that of the volume, as it includes its logs.
 */
const storageOf = ({ features }: Part) =>
  features.includes('create') ? { temporary: '2Gi', limit: '2304Mi' } : { temporary: '64Mi', limit: '320Mi' };

/** With it a restarted container recognises the Leases of its predecessor. */
const podIdentity = [
  ['POD_NAME', 'metadata.name'],
  ['POD_UID', 'metadata.uid'],
].map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));

/** Values from Secrets that the user creates, if needed. */
function environmentOf({ installation, part: { features } }: DeploymentOptions): readonly object[] {
  const from = (secret: string, keys: Readonly<Record<string, string>>) =>
    Object.entries(keys).map(([name, key]) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key, optional: true } },
    }));
  return [
    ...(features.includes('mirror')
      ? from(`${installation}-backup-registry`, {
          BACKUP_REGISTRY_USERNAME: 'username',
          BACKUP_REGISTRY_PASSWORD: 'password',
        })
      : []),
    ...(features.includes('sync') || features.includes('jobs')
      ? [
          { name: 'FAIRWINDS_INSIGHTS_HOST', value: 'https://insights.fairwinds.com' },
          ...from('fairwinds-insights', {
            FAIRWINDS_TOKEN: 'token',
            FAIRWINDS_ORG: 'org',
            FAIRWINDS_CLUSTER: 'cluster',
          }),
        ]
      : []),
  ];
}
