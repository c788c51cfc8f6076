import { readFileSync } from 'node:fs';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/object/index.ts';

const labelPolicy = (label: string, validationFailureAction: string, namespaces: readonly string[]) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: `named-${label}` },
  spec: {
    validationFailureAction,
    rules: [
      {
        name: label,
        match: { any: [{ resources: { kinds: ['Pod'], namespaces } }] },
        validate: { message: `the label ${label} is missing`, pattern: { metadata: { labels: { [label]: '?*' } } } },
      },
    ],
  },
});

export const enforced = labelPolicy('owner', 'Enforce', ['default', 'load']);
export const audited = labelPolicy('team', 'Audit', ['shop']);

/** The shipped policy, with an image that the node can pull. */
export function jobPolicy(image: string): object {
  const file = new URL('../../examples/unique-job-per-image/clusterpolicy.yaml', import.meta.url);
  return parseYaml(readFileSync(file, 'utf8').replace('image: busybox:1.36', `image: ${image}`)) as object;
}

interface Place {
  readonly namespace?: string;
  readonly replicas?: number;
  /** Never scheduled. */
  readonly isGated?: boolean;
}

/** A pod or Deployment of one container that sleeps. Without a namespace it has no owner. */
export function workload(kind: 'Pod' | 'Deployment', name: string, image: string, place: Place): KubeObject {
  const { namespace = 'default', replicas = 1, isGated = false } = place;
  const labels = { app: name, ...(place.namespace === undefined ? {} : { owner: 'team' }) };
  const spec = {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image, command: ['sleep', '3600'] }],
    ...(isGated ? { schedulingGates: [{ name: 'example.com/never' }] } : {}),
  };
  const metadata = { name, namespace, labels };
  if (kind === 'Pod') return { apiVersion: 'v1', kind, metadata, spec };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec: { replicas, selector: { matchLabels: { app: name } }, template: { metadata: { labels }, spec } },
  };
}
