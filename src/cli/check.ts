import { type Command, Option } from 'commander';
import { type CheckLine, loadCheck, parseFeatures } from '../app/index.ts';
import { systemClock } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes, messagesOf } from './context.ts';
import { renderColumns, renderValue } from './output.ts';

interface CheckOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly installation?: string;
  readonly features?: string;
  readonly config?: string;
  readonly backupRegistry?: string;
  readonly asInstalled: boolean;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

export function defineCheck(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
    .command('check')
    .summary('check a cluster before and after an installation')
    .description(
      'Checks whether a cluster is fit for an installation, and whether an installation works: version, permissions,\n' +
        'definitions, Kyverno, webhooks, certificates, the backup registry and leases. It changes nothing. Exits with 1 if\n' +
        'a check fails.',
    )
    .option(
      '--namespace <name>',
      'the namespace of the installation (default: that of the configuration, or supercargo)',
    )
    .option('--installation <name>', 'its name: the value of the label supercargo.dev/owner (default: likewise)')
    .option('--features <names>', 'only these features, separated by commas (default: those installed, or the default)')
    .option('--config <file>', 'settings of the program (YAML; default: those of the installation, or of this pod)')
    .option('--backup-registry <registry>', 'where copies of images go')
    .option('--as-installed', "check the permissions of the installation's accounts, not yours", false)
    .addOption(
      new Option('-o, --output <format>', 'how it is printed')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      '\nExamples:\n  supercargo check --features admission,report\n  supercargo check --backup-registry registry.example/copies\n' +
        '  supercargo check --as-installed -o json\n',
    )
    .action(async (options: CheckOptions) => setExitCode(await check(options, context)));
}

async function check(options: CheckOptions, context: CliContext): Promise<number> {
  const { features, output } = options;
  const chosen = features === undefined ? undefined : parseFeatures(features);
  const { checkCluster } = await loadCheck();
  const log = messagesOf(context, 'error');
  const connection = await connectTo(options, context, log);
  try {
    const { env, signal } = context;
    const lines = await checkCluster({
      ...options,
      features: chosen,
      connection,
      env,
      clock: systemClock,
      signal,
      log,
    });
    const hasFailed = lines.some(({ result }) => result === 'fail');
    const { name, server } = connection.client.config;
    context.stdout.write(
      output === 'table' || output === 'wide'
        ? renderLines(lines, output === 'wide')
        : renderValue({ cluster: { name, server }, result: hasFailed ? 'fail' : 'pass', checks: lines }, output),
    );
    return hasFailed ? exitCodes.failed : exitCodes.ok;
  } finally {
    await connection.client.close();
  }
}

/** Wide, what to do has a column of its own. */
export const renderLines = (lines: readonly CheckLine[], isWide: boolean) =>
  renderColumns(
    ['RESULT', 'CHECK', 'FOUND', ...(isWide ? ['REMEDY'] : [])],
    lines.map(({ result, check: name, found, remedy }) => {
      if (isWide) return [result, name, found, remedy ?? '<none>'];
      return [result, name, remedy === undefined ? found : `${found}; remedy: ${remedy}`];
    }),
  );
