import { readFileSync } from 'node:fs';
import { parseYamlDocuments } from '../../src/base/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { exampleFile } from './generate/policies.ts';

const typeOf = (group: string, version: string, resource: string, kind: string, namespaced = true): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});

export const clusterPolicies = typeOf('kyverno.io', 'v1', 'clusterpolicies', 'ClusterPolicy', false);
export const policyReports = typeOf('wgpolicyk8s.io', 'v1alpha2', 'policyreports', 'PolicyReport');
export const jobs = typeOf('batch', 'v1', 'jobs', 'Job');
export const pods = typeOf('', 'v1', 'pods', 'Pod');

const policy = (name: string, rules: readonly object[], annotations = {}): KubeObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name, annotations },
  spec: { validationFailureAction: 'Enforce', rules },
});

const deploymentsOf = (namespace: string) => ({
  any: [{ resources: { kinds: ['Deployment'], namespaces: [namespace] } }],
});

/**
 * Notes which image the mutation saw, and lets nothing pass but a copy beside the note of its source; for whatever is
 * rewritten of the app.
 */
export function orderPolicy(
  { namespace, kind }: { readonly namespace: string; readonly kind: 'Deployment' | 'Pod' },
  { source, copy }: { readonly source: string; readonly copy: string },
): KubeObject {
  const selector = kind === 'Pod' ? { selector: { matchLabels: { app: 'web' } } } : {};
  const match = { any: [{ resources: { kinds: [kind], namespaces: [namespace], ...selector } }] };
  const path = kind === 'Pod' ? 'spec' : 'spec.template.spec';
  const spec = { containers: [{ image: `${copy}:*` }] };
  const rules = [
    {
      name: 'note-what-is-seen',
      match,
      // Only what is not there: policies are asked again after others changed the object.
      mutate: {
        patchStrategicMerge: {
          metadata: { annotations: { '+(seen-by-mutate)': `{{ request.object.${path}.containers[0].image }}` } },
        },
      },
    },
    {
      name: 'copy-beside-its-source',
      match,
      validate: {
        message: 'the mutation sees the source, and the validation the copy',
        pattern: {
          metadata: { annotations: { 'seen-by-mutate': `${source}:*` } },
          spec: kind === 'Pod' ? spec : { template: { spec } },
        },
      },
    },
  ];
  return policy('order', rules, { 'pod-policies.kyverno.io/autogen-controllers': 'none' });
}

const owned = { 'insights.fairwinds.com/owned-by': 'Fairwinds Insights' };

/** A policy as Insights keeps it: Deployments of a namespace must not have this label. */
export const insightsPolicy = (name: string, namespace: string, label: string): KubeObject =>
  policy(
    name,
    [
      {
        name: 'no-label',
        match: deploymentsOf(namespace),
        validate: {
          message: `${label} is not wanted`,
          pattern: { metadata: { '=(labels)': { [`X(${label})`]: 'null' } } },
        },
      },
    ],
    owned,
  );

/** The shipped policy; its Jobs run an image that can be had here. */
export function jobPerImage(image: string): KubeObject {
  const file = exampleFile('unique-job-per-image/clusterpolicy.yaml');
  const text = readFileSync(file, 'utf8').replace('busybox:1.36', image);
  return parseYamlDocuments(text, { file })[0]!.value as unknown as KubeObject;
}

export const pod = (namespace: string, name: string, image: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: { containers: [{ name: 'main', image }] },
});

/** What a namespace grants so that a Secret of its own can be read. */
export function secretGrant(namespace: string, secret: string): readonly (readonly [ResourceType, KubeObject])[] {
  const group = 'rbac.authorization.k8s.io';
  const apiVersion = `${group}/v1`;
  const metadata = { name: 'supercargo-secrets', namespace };
  const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get'] }];
  const roleRef = { apiGroup: group, kind: 'Role', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name: 'supercargo-all', namespace: 'supercargo' }];
  return [
    [typeOf(group, 'v1', 'roles', 'Role'), { apiVersion, kind: 'Role', metadata, rules }],
    [
      typeOf(group, 'v1', 'rolebindings', 'RoleBinding'),
      { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects },
    ],
  ];
}
