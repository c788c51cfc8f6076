import { Option } from 'commander';
import { findRunningCluster, loadConnect } from '../app/index.ts';
import type { Logger } from '../base/index.ts';
import type { CliContext } from './context.ts';

/** The cluster options of a command. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export const kubeconfigOption = (when = '') =>
  new Option('--kubeconfig <file>', `${when}instead of KUBECONFIG, a running "supercargo up" or ~/.kube/config`);
export const contextOption = (when = '') => new Option('--context <name>', `${when}context of the kubeconfig`);

/** The kubeconfig of a running `supercargo up`, if neither an option nor the environment names a cluster. */
export function localKubeconfig(
  { kubeconfig, context }: ClusterOptions,
  { env, temporaryDir }: Pick<CliContext, 'env' | 'temporaryDir'>,
): string | undefined {
  const isNamed = kubeconfig !== undefined || context !== undefined || env['KUBECONFIG'];
  return isNamed || env['KUBERNETES_SERVICE_HOST'] ? undefined : findRunningCluster({ env, temporaryDir });
}

/** Connects to the cluster of the options or the environment; a cluster found otherwise is named on standard error. */
export async function connectTo(options: ClusterOptions, context: CliContext, log: Logger) {
  const { env, stderr } = context;
  const local = localKubeconfig(options, context);
  const { connect } = await loadConnect();
  const connection = await connect({ env, kubeconfig: options.kubeconfig ?? local, context: options.context, log });
  const { name, server, isInPod } = connection.client.config;
  if (local !== undefined) stderr.write(`supercargo: using the cluster of "supercargo up" (kubeconfig ${local})\n`);
  else if (options.kubeconfig === undefined && !env['KUBECONFIG'] && !isInPod)
    stderr.write(`supercargo: using the cluster ${name} at ${server} (kubeconfig ~/.kube/config)\n`);
  return connection;
}
