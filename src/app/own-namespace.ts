import { UsageError } from '../base/index.ts';
import type { Config } from './config.ts';

/**
 * The namespace of the program itself: its Leases, certificates and checkpoints are there, and its webhooks leave the
 * namespace out. So outside a pod the `default` of a kubeconfig that names none is not taken for it.
 */
export function ownNamespaceOf(
  { namespace }: Pick<Config, 'namespace'>,
  cluster: { readonly name: string; readonly namespace: string; readonly isInPod?: boolean | undefined },
): string {
  if (namespace !== undefined) return namespace;
  if (cluster.namespace !== 'default' || cluster.isInPod) return cluster.namespace;
  throw new UsageError(
    'own-namespace',
    `the context ${cluster.name} leads to the namespace default, where policies would not count and our Leases, ` +
      'certificates and checkpoints would be: name a namespace for this program with --namespace (namespace in the ' +
      'configuration), or default if that is meant',
  );
}
