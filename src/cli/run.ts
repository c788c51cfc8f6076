import type { Command } from 'commander';
import { loadCluster, loadConfiguration, loadConfigWatch, loadConnect, parseFeatures } from '../app/index.ts';
import { createLogger, systemClock } from '../base/index.ts';
import { type ClusterOptions, contextOption, kubeconfigOption, localKubeconfig } from './cluster-options.ts';
import { type CliContext, dashboardPlace } from './context.ts';
import { addLogOptions, type LogOptions } from './log-options.ts';

interface RunOptions extends ClusterOptions, LogOptions {
  readonly config?: string;
  readonly features?: string;
  readonly namespace?: string;
  readonly exposure?: string;
}

export function defineRun(program: Command, context: CliContext): void {
  const command = program
    .command('run')
    .summary('run against a real cluster')
    .description(
      'Runs against the cluster of the kubeconfig, or inside a pod against its own, until a signal. Several replicas\n' +
        'share the work: one leads each feature, all serve /healthz, /readyz and /metrics.',
    )
    .option('--config <file>', 'configuration file (YAML)')
    .option('--features <names>', 'only these parts, separated by commas')
    .option('--namespace <name>', 'the namespace of this program, where its Leases are')
    .option('--exposure <how>', 'how the API server reaches the webhooks: service, loopback or url=https://HOST:PORT')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      '\nExamples:\n  supercargo run --config supercargo.yaml\n  supercargo run --kubeconfig ./kubeconfig\n' +
        '  supercargo run --features admission --namespace dev --exposure url=https://10.0.0.7:9443\n\n' +
        'Environment: LOG_LEVEL, LOG_FORMAT and BACKUP_REGISTRY replace logLevel, logFormat and mirror.registry of the\n' +
        'configuration; options replace both. "supercargo config print" shows the result.\n',
    )
    .action((options: RunOptions) => run(options, context));
  addLogOptions(command);
}

async function run(options: RunOptions, context: CliContext): Promise<void> {
  const [{ loadConfig }, { createConfigWatch }, { connect }, { createClusterProgram }] = await Promise.all([
    loadConfiguration(),
    loadConfigWatch(),
    loadConnect(),
    loadCluster(),
  ]);
  const { config: path } = options;
  const features = options.features === undefined ? undefined : parseFeatures(options.features);
  const load = () => loadConfig(path, { flags: { ...options, features }, env: context.env });
  const loaded = load();
  const { config } = loaded;
  let level = config.logLevel;
  const log = createLogger({ level: () => level, format: config.logFormat, destination: context.stderr });
  const reload = path === undefined ? undefined : createConfigWatch({ path, loaded, load, clock: systemClock, log });
  reload?.subscribe(({ logLevel }) => {
    level = logLevel;
  });
  const local = localKubeconfig(options, context);
  const kubeconfig = options.kubeconfig ?? local;
  const connection = await connect({ env: context.env, kubeconfig, context: options.context, log });
  try {
    if (config.features.length === 0)
      log.warn('no feature is switched on; name some with --features or in the configuration file');
    const { name, server } = connection.client.config;
    log.info('connected', {
      context: name,
      server,
      version: connection.version,
      ...(kubeconfig ? { kubeconfig } : {}),
    });
    const program = await createClusterProgram({
      config,
      connection,
      env: context.env,
      reload,
      log,
      reportWorker: context.reportWorker,
      livenessWorker: context.livenessWorker,
      dashboard: dashboardPlace(context),
      onListening: (address) => log.info('listening', { address }),
    });
    await program.run(context.signal);
    log.info('stopped');
  } finally {
    await connection.client.close();
  }
}
