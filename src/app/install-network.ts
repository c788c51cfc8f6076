import type { KubeObject } from '../object/index.ts';
import { selectorOf } from './install-objects.ts';

/** Namespaces whose pods may read metrics carry this label. */
const metricsLabel = 'supercargo.dev/metrics';

/**
 * Which peers may connect to the pods of a part. The kubelet's probes are not subject to network policies. The
 * addresses of the API server differ between clusters, so the webhook's port is open unless they are named.
 */
export function networkPolicy(
  metadata: KubeObject['metadata'],
  { hasWebhooks, apiServerCidrs }: { readonly hasWebhooks: boolean; readonly apiServerCidrs: readonly string[] },
): KubeObject {
  const from = apiServerCidrs.map((cidr) => ({ ipBlock: { cidr } }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: {
      podSelector: { matchLabels: selectorOf(metadata.labels ?? {}) },
      policyTypes: ['Ingress'],
      ingress: [
        ...(hasWebhooks
          ? [{ ports: [{ port: 'webhook', protocol: 'TCP' }], ...(from.length > 0 ? { from } : {}) }]
          : []),
        {
          ports: [{ port: 'http', protocol: 'TCP' }],
          from: [{ namespaceSelector: { matchLabels: { [metricsLabel]: 'true' } } }],
        },
      ],
    },
  };
}
