import { imageResourcePolicies, imagesDetected, mirroredImages } from '../../../src/api/index.ts';
import type { Connection } from '../../../src/app/connect.ts';
import type { ResourceType } from '../../../src/kube/index.ts';
import type { KubeObject } from '../../../src/object/index.ts';
import { policyTypes } from '../../../src/runtime/index.ts';
import { deployments } from '../../integration/connection.ts';
import { eventually } from '../../support/wait.ts';

/** What the page shows of a namespace: objects of every kind that has a permission of its own. */

const type = (group: string, version: string, resource: string, kind: string): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced: true,
});
const jobs = type('batch', 'v1', 'jobs', 'Job');
const events = type('', 'v1', 'events', 'Event');
export const policyReports = type('wgpolicyk8s.io', 'v1alpha2', 'policyreports', 'PolicyReport');
const scans = type('aquasecurity.github.io', 'v1alpha1', 'vulnerabilityreports', 'VulnerabilityReport');

/** The kinds of a namespace, as a Role names them. */
export const namespacedKinds = [
  { apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] },
  { apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports'], verbs: ['list'] },
  { apiGroups: ['automation.gitops.io'], resources: ['imagedetecteds'], verbs: ['list'] },
  { apiGroups: ['aquasecurity.github.io'], resources: ['vulnerabilityreports'], verbs: ['list'] },
];

const owner = { 'supercargo.dev/owner': 'supercargo' };
const digest = `sha256:${'0'.repeat(64)}`;

export function createShownObjects({ client }: Pick<Connection, 'client'>) {
  const create = (of: ResourceType, name: string, namespace: string, more: object = {}, metadata: object = {}) =>
    client.create(of, {
      apiVersion: of.group === '' ? of.version : `${of.group}/${of.version}`,
      kind: of.kind,
      metadata: { name, ...(of.namespaced ? { namespace } : {}), ...metadata },
      ...more,
    } as KubeObject);
  return {
    /** The CRD of a scanner, as far as it matters here. */
    async installScanner(): Promise<void> {
      await client.raw('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        post: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `${scans.resource}.${scans.group}` },
          spec: {
            group: scans.group,
            scope: 'Namespaced',
            names: { kind: scans.kind, plural: scans.resource },
            versions: [
              {
                name: scans.version,
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
              },
            ],
          },
        },
      });
      await eventually(() => client.list(scans, { limit: 1 }));
    },
    /** One object of each kind, about an image: the name of each begins with `name`. */
    async in(namespace: string, name: string, image: string): Promise<void> {
      const [repository = '', tag = ''] = image.split(':');
      const labels = { app: name };
      const containers = [{ name: 'app', image }];
      await create(deployments, `${name}-web`, namespace, {
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      });
      const annotations = {
        'supercargo.dev/origin': JSON.stringify({ policy: 'scan', rule: 'make' }),
        'kyverno.io/source-image': image,
      };
      const spec = { template: { spec: { restartPolicy: 'Never', containers } } };
      await create(jobs, `${name}-scan`, namespace, { spec }, { labels: owner, annotations });
      const about = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: `${name}-web` };
      const results = [
        { policy: `${name}-policy`, rule: 'r', result: 'fail', message: `${name} fails`, resources: [about] },
      ];
      await create(policyReports, `${name}-report`, namespace, { results });
      await create(policyTypes.exception, `${name}-exception`, namespace, {
        spec: {
          exceptions: [{ policyName: `${name}-policy`, ruleNames: ['r'] }],
          match: { any: [{ resources: { kinds: ['Deployment'] } }] },
        },
      });
      await create(imagesDetected, `${name}-detection`, namespace, {
        spec: {
          imageName: name,
          imageTag: tag,
          imageDigest: digest,
          fullImageName: image,
          sourcePolicy: { name: `${name}-irp`, namespace },
          detectedAt: new Date().toISOString(),
          ttlDays: 7,
        },
      });
      await create(imageResourcePolicies, `${name}-irp`, namespace, {
        spec: {
          ociRepository: { registry: 'registry.example', repositoryPattern: `${name}/*` },
          policy: { semver: { range: '>=1.0.0' } },
          templateRef: { name: `${name}-template` },
        },
      });
      await create(events, `${name}-event`, namespace, {
        involvedObject: about,
        reason: 'PolicyViolation',
        message: `${name} happened`,
        type: 'Warning',
        source: { component: 'supercargo' },
        lastTimestamp: new Date().toISOString(),
      });
      await create(scans, `${name}-scan`, namespace, {
        report: {
          artifact: { repository, tag },
          scanner: { name: 'Trivy' },
          summary: { criticalCount: 1 },
          updateTimestamp: new Date().toISOString(),
        },
      });
    },
    copy: (name: string, source: string) =>
      create(mirroredImages, name, '', { spec: { source, copy: `backup.example/${source}` } }, { labels: owner }),
  };
}
