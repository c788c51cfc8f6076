import type { Command } from 'commander';
import { loadCluster, loadConfiguration, loadConnect, parseFeatures } from '../app/index.ts';
import { type CliContext, loggerOf } from './context.ts';

interface RunOptions {
  readonly config?: string;
  readonly features?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export function defineRun(program: Command, context: CliContext): void {
  program
    .command('run')
    .summary('run against a real cluster')
    .description(
      'Runs against the cluster of the kubeconfig, or inside a pod against its own, until a signal. Several replicas\n' +
        'share the work: one leads each feature, all serve /healthz, /readyz and /metrics.',
    )
    .option('--config <file>', 'configuration file (YAML)')
    .option('--features <names>', 'only these parts, separated by commas')
    .option('--kubeconfig <file>', 'instead of KUBECONFIG and ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .addHelpText(
      'after',
      '\nExamples:\n  supercargo run --config supercargo.yaml\n  supercargo run --kubeconfig ./kubeconfig\n',
    )
    .action((options: RunOptions) => run(options, context));
}

async function run(options: RunOptions, context: CliContext): Promise<void> {
  const [{ loadConfig }, { connect }, { createClusterProgram }] = await Promise.all([
    loadConfiguration(),
    loadConnect(),
    loadCluster(),
  ]);
  const features = options.features === undefined ? undefined : parseFeatures(options.features);
  const config = loadConfig(options.config, { features });
  const log = loggerOf(config.logLevel);
  const connection = await connect({ env: context.env, kubeconfig: options.kubeconfig, context: options.context, log });
  try {
    if (config.features.length === 0)
      log.warn('no feature is switched on; name some with --features or in the configuration file');
    log.info('connected', { server: connection.client.config.server, version: connection.version });
    const program = await createClusterProgram({
      config,
      connection,
      env: context.env,
      log,
      reportWorker: context.reportWorker,
      onListening: (address) => log.info('listening', { address }),
    });
    await program.run(context.signal);
    log.info('stopped');
  } finally {
    await connection.client.close();
  }
}
