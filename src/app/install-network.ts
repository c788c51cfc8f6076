import { each, type InstallTemplate, item, runs, scalar, value, when } from './chart/scope.ts';
import { webhookFeatures } from './install-rbac.ts';

/** Namespaces whose pods may read metrics carry this label. */
const metricsLabel = 'supercargo.dev/metrics';
const cidrs = value<readonly string[]>('webhook.apiServerCidrs');

/**
 * Which peers may connect to the pods of a part. The kubelet's probes are not subject to network policies. The
 * addresses of the API server differ between clusters, so the webhook's port is open unless they are named.
 */
export const networkPolicy = (metadata: InstallTemplate, selector: InstallTemplate): InstallTemplate => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata,
  spec: {
    podSelector: { matchLabels: selector },
    policyTypes: ['Ingress'],
    ingress: [
      when(runs(...webhookFeatures), {
        ports: [{ port: 'webhook', protocol: 'TCP' }],
        from: when(cidrs, [each(cidrs, { ipBlock: { cidr: scalar(item) } })]),
      }),
      // For people: whoever connects needs a token of the cluster.
      when(runs('dashboard'), { ports: [{ port: 'dashboard', protocol: 'TCP' }] }),
      {
        ports: [{ port: 'http', protocol: 'TCP' }],
        from: [{ namespaceSelector: { matchLabels: { [metricsLabel]: 'true' } } }],
      },
    ],
  },
});
