import { type Command, Option } from 'commander';
import { loadSync } from '../app/index.ts';
import { errorMessage } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes } from './context.ts';
import { addLogOptions, type LogOptions, loggerOf } from './log-options.ts';

interface SyncCommandOptions extends ClusterOptions, LogOptions {
  readonly dryRun?: boolean;
  readonly lock: 'auto' | 'file' | 'lease';
  readonly lockFile?: string;
  readonly namespace?: string;
}

const syncExitCodes = {
  succeeded: exitCodes.ok,
  failed: exitCodes.failed,
  incomplete: exitCodes.incomplete,
  locked: exitCodes.locked,
} as const;

export function defineSync(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  const command = program
    .command('sync')
    .summary('make the policies of the cluster those of Fairwinds Insights, once')
    .description(
      'Fetches the Kyverno policies that Insights holds for this cluster, and applies, updates and removes so that the\n' +
        'cluster has them. Only policies annotated insights.fairwinds.com/owned-by: "Fairwinds Insights" are touched.\n' +
        'Prints one line of JSON for each operation and one at the end.',
    )
    .option('--dry-run', 'show what would change, and change nothing (as DRY_RUN=true)')
    .addOption(
      new Option('--lock <kind>', 'how two syncs at once are prevented; auto: lease in a cluster, file elsewhere')
        .choices(['auto', 'file', 'lease'])
        .default('auto'),
    )
    .option('--lock-file <file>', 'the lock file (as LOCK_FILE)')
    .option('--namespace <name>', 'where the Lease is kept (default: the namespace of the context or the pod)')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      `
Environment:
  FAIRWINDS_INSIGHTS_HOST, FAIRWINDS_TOKEN, FAIRWINDS_ORG, FAIRWINDS_CLUSTER   where, as whom, for which cluster
  DRY_RUN (false), VALIDATE_POLICIES (true), SYNC_MODE (atomic, or best-effort), ALLOW_EMPTY (false),
  ALLOW_REMOVE_SHARE (50), LOCK_TIMEOUT (30m), LOCK_FILE, KYVERNO_CLI, LOG_LEVEL (info), LOG_FORMAT (json),
  FAIRWINDS_INSIGHTS_ALLOW_HTTP (false)

Exit codes:
  0 done, 1 failed and nothing is left half done, 2 wrong usage or environment,
  3 failed and could not put everything back, 4 another sync is running, 5 the cluster cannot be reached
`,
    )
    .action(async (options: SyncCommandOptions) => setExitCode(await sync(options, context)));
  addLogOptions(command);
}

async function sync(options: SyncCommandOptions, context: CliContext): Promise<number> {
  const { env, stdout, stderr, temporaryDir, signal } = context;
  const app = await loadSync();
  const settings = {
    ...env,
    ...(options.dryRun ? { DRY_RUN: 'true' } : {}),
    ...(options.lockFile === undefined ? {} : { LOCK_FILE: options.lockFile }),
  };
  const config = app.readSyncConfig(settings);
  const log = loggerOf(options, context, config.logLevel);
  const print = (line: object) => stdout.write(`${JSON.stringify(line)}\n`);
  const connection = await connectTo(options, context, log).catch((thrown: unknown) => {
    print(app.notRunLine(thrown, config.sync.isDryRun));
    throw thrown;
  });
  const program = app.createSyncProgram({
    config,
    connection,
    lock: options.lock,
    namespace: options.namespace,
    env,
    temporaryDir,
    log,
    output: {
      line: print,
      diff: (title, text) => stdout.write(`${title}\n${text}\n`),
    },
  });
  try {
    return syncExitCodes[(await program.run(signal)).outcome];
  } catch (thrown) {
    if (!(thrown instanceof app.SyncLockedError)) throw thrown;
    stderr.write(`supercargo: ${errorMessage(thrown)}\n`);
    return syncExitCodes.locked;
  } finally {
    await program.close();
    await connection.client.close();
  }
}
