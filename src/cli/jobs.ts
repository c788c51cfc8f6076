import type { Command } from 'commander';
import { loadJobs } from '../app/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes } from './context.ts';
import { addLogOptions, type LogOptions, loggerOf } from './log-options.ts';

interface JobsCommandOptions extends ClusterOptions, LogOptions {
  readonly namespace?: string;
  readonly installation: string;
}

export function defineJobs(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  const command = program
    .command('jobs')
    .summary('run the on-demand jobs of Fairwinds Insights, once')
    .description(
      'Resumes the jobs of an earlier run, claims new ones once, runs each as a Job made from the CronJob of its type,\n' +
        'and ends when all have ended and are reported. To run always, use "supercargo run" with the feature jobs.',
    )
    .option('--namespace <name>', 'where the CronJobs are (default: the namespace of the context or the pod)')
    .option('--installation <name>', 'the value of the label supercargo.dev/owner', 'supercargo')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      `
Environment:
  FAIRWINDS_INSIGHTS_HOST, FAIRWINDS_TOKEN, FAIRWINDS_ORG, FAIRWINDS_CLUSTER   where, as whom, for which cluster
  JOB_TYPES (all known; "trivy, nova:10m, audit=audit-cronjob:15m"), MAX_CONCURRENT_JOBS (10), LOG_LEVEL (info), LOG_FORMAT (json)

Exit codes: 0 all completed and reported (also when there was none), 1 some were not, 2 wrong usage or environment,
5 the cluster cannot be reached.
`,
    )
    .action(async (options: JobsCommandOptions) => setExitCode(await jobs(options, context)));
  addLogOptions(command);
}

async function jobs(options: JobsCommandOptions, context: CliContext): Promise<number> {
  const { env, stdout, temporaryDir, signal } = context;
  const app = await loadJobs();
  const config = app.readJobsConfig(env);
  const log = loggerOf(options, context, config.logLevel);
  const connection = await connectTo(options, context, log);
  const { namespace, installation } = options;
  try {
    const summary = await app.runJobs({ config, connection, env, namespace, installation, temporaryDir, log }, signal);
    const { completed, failed, unreported } = summary;
    stdout.write(`${completed} completed, ${failed} failed, ${unreported} not reported\n`);
    return failed + unreported === 0 ? exitCodes.ok : exitCodes.failed;
  } finally {
    await connection.client.close();
  }
}
