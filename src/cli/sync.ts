import { type Command, Option } from 'commander';
import { loadConnect, loadSync } from '../app/index.ts';
import { errorMessage } from '../base/index.ts';
import { type CliContext, exitCodes, loggerOf } from './context.ts';

interface SyncCommandOptions {
  readonly dryRun?: boolean;
  readonly lock: 'auto' | 'file' | 'lease';
  readonly lockFile?: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Beside the usual ones. */
const syncExitCodes = { succeeded: exitCodes.ok, failed: exitCodes.failed, incomplete: 3, locked: 4 } as const;

export function defineSync(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
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
    .option('--kubeconfig <file>', 'instead of KUBECONFIG and ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .addHelpText(
      'after',
      `
Environment:
  FAIRWINDS_INSIGHTS_HOST, FAIRWINDS_TOKEN, FAIRWINDS_ORG, FAIRWINDS_CLUSTER   where, as whom, for which cluster
  DRY_RUN (false), VALIDATE_POLICIES (true), SYNC_MODE (atomic, or best-effort), ALLOW_EMPTY (false),
  ALLOW_REMOVE_SHARE (50), LOCK_TIMEOUT (30m), LOCK_FILE, KYVERNO_CLI, LOG_LEVEL (info), FAIRWINDS_INSIGHTS_ALLOW_HTTP (false)

Exit codes:
  0 done, 1 failed and nothing is left half done, 2 wrong usage or environment,
  3 failed and could not put everything back, 4 another sync is running
`,
    )
    .action(async (options: SyncCommandOptions) => setExitCode(await sync(options, context)));
}

async function sync(
  options: SyncCommandOptions,
  { env, stdout, stderr, temporaryDir, signal }: CliContext,
): Promise<number> {
  const [{ connect }, app] = await Promise.all([loadConnect(), loadSync()]);
  const settings = {
    ...env,
    ...(options.dryRun ? { DRY_RUN: 'true' } : {}),
    ...(options.lockFile === undefined ? {} : { LOCK_FILE: options.lockFile }),
  };
  const config = app.readSyncConfig(settings);
  const log = loggerOf(config.logLevel);
  const connection = await connect({ env, kubeconfig: options.kubeconfig, context: options.context, log });
  const program = app.createSyncProgram({
    config,
    connection,
    lock: options.lock,
    namespace: options.namespace,
    env,
    temporaryDir,
    log,
    output: {
      line: (line) => stdout.write(`${JSON.stringify(line)}\n`),
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
