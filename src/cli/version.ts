import { type Command, Option } from 'commander';
import { availableFeatures, loadInstalled } from '../app/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, messagesOf } from './context.ts';
import { renderColumns, renderValue } from './output.ts';

interface VersionOptions extends ClusterOptions {
  readonly client: boolean;
  readonly output: 'table' | 'json' | 'yaml';
}

export function defineVersion(program: Command, context: CliContext): void {
  program
    .command('version')
    .summary('show the version of this program, the cluster and what is installed in it')
    .description(
      'Shows the version and features of this program, the version of the cluster, and the installations in it with\n' +
        'their images and features.',
    )
    .option('--client', 'only this program; no cluster is asked', false)
    .addOption(
      new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText('after', '\nExamples:\n  supercargo version\n  supercargo version --client -o json\n')
    .action((options: VersionOptions) => version(options, context));
}

type Installed = Awaited<ReturnType<typeof askCluster>>;

async function version(options: VersionOptions, context: CliContext): Promise<void> {
  const client = { version: context.version, node: context.nodeVersion ?? '', features: availableFeatures };
  const { output } = options;
  if (output === 'table')
    context.stdout.write(
      `supercargo ${client.version}, Node ${client.node}\nfeatures: ${client.features.join(', ')}\n`,
    );
  const cluster = options.client ? undefined : await askCluster(options, context);
  if (output !== 'table') context.stdout.write(renderValue({ client, ...cluster }, output));
  else if (cluster) context.stdout.write(renderCluster(cluster));
}

async function askCluster(options: VersionOptions, context: CliContext) {
  const [connection, { findInstalledParts }] = await Promise.all([
    connectTo(options, context, messagesOf(context)),
    loadInstalled(),
  ]);
  const { client } = connection;
  try {
    const installed = await findInstalledParts(client, context.signal);
    return {
      cluster: { version: connection.version, server: client.config.server },
      ...(installed ? { installed } : {}),
    };
  } finally {
    await client.close();
  }
}

function renderCluster({ cluster, installed }: Installed): string {
  const head = `cluster: Kubernetes ${cluster.version} at ${cluster.server}\n`;
  if (!installed) return `${head}installed: not known, the permission to list Deployments is missing\n`;
  if (installed.length === 0) return `${head}installed: nothing\n`;
  const rows = installed.map(({ namespace, name, image, replicas, readyReplicas, features }) => [
    namespace,
    name,
    `${readyReplicas}/${replicas}`,
    image,
    features?.join(',') ?? '',
  ]);
  return `${head}\n${renderColumns(['NAMESPACE', 'DEPLOYMENT', 'READY', 'IMAGE', 'FEATURES'], rows)}`;
}
