import { type Logger, type LogLevel, logLevels, SupercargoError, systemClock } from '../base/index.ts';
import type { Runnable } from '../controller/index.ts';
import {
  createInsightsClient,
  createRedactor,
  createSettingsReader,
  type InsightsClient,
  type InsightsSettings,
  readInsightsSettings,
  redactLogs,
  type Variables,
} from '../insights/index.ts';
import {
  type InProcessJob,
  type JobMetrics,
  type JobRunnerOptions,
  type JobSettings,
  type JobSummary,
  policySyncType,
  pollJobs,
  readJobSettings,
  runJobsOnce,
} from '../jobs/index.ts';
import type { Connection } from './connect.ts';
import { createSyncProgram, logOutput, readSyncConfig } from './sync.ts';

export interface JobsConfig {
  readonly insights: InsightsSettings;
  readonly jobs: JobSettings;
  readonly logLevel: LogLevel;
}

/** The settings of the job runner from the environment; one UsageError names everything missing or invalid. */
export function readJobsConfig(env: Variables): JobsConfig {
  const reader = createSettingsReader(env);
  const config = {
    insights: readInsightsSettings(reader),
    jobs: readJobSettings(reader),
    logLevel: reader.choice('LOG_LEVEL', 'info', logLevels),
  };
  reader.finish();
  return config;
}

export interface JobsProgramOptions {
  readonly config: JobsConfig;
  readonly connection: Connection;
  readonly env: Variables;
  /** The namespace of the CronJobs; the connection's own if undefined. */
  readonly namespace?: string | undefined;
  readonly installation: string;
  readonly temporaryDir: string;
  readonly metrics?: JobMetrics | undefined;
  readonly log: Logger;
}

/** How long a program that runs once tries to report; the next run reports the rest. */
const giveUpReportingAfterMs = 2 * 60_000;

/** Claims once and runs the claimed jobs to their end. */
export async function runJobs(options: JobsProgramOptions, signal: AbortSignal): Promise<JobSummary> {
  const insights = createInsightsClient(options.config.insights);
  try {
    return await runJobsOnce({ ...runnerOptions(options, insights), giveUpReportingAfterMs }, signal);
  } finally {
    await insights.close();
  }
}

/** The job runner of `supercargo run`: polls while this replica leads. */
export function createOnDemandJobs(options: JobsProgramOptions): Runnable {
  return {
    name: 'on-demand-jobs',
    needsLeadership: 'jobs',
    // A replica can lead more than once; a leader session must not use what an earlier one has closed.
    async run(signal) {
      const insights = createInsightsClient(options.config.insights);
      try {
        await pollJobs(runnerOptions(options, insights), signal);
      } finally {
        await insights.close();
      }
    },
  };
}

function runnerOptions(options: JobsProgramOptions, insights: InsightsClient): JobRunnerOptions {
  const { config, connection, installation } = options;
  return {
    claim: (limit, signal) => insights.claimJobs(limit, signal),
    report: (id, status, signal) => insights.reportJobStatus(id, status, signal),
    client: connection.client,
    namespace: options.namespace ?? connection.client.config.namespace,
    installation,
    settings: config.jobs,
    metrics: options.metrics,
    inProcess: new Map([[policySyncType, syncHere(options)]]),
    clock: systemClock,
    random: Math.random,
    log: redactLogs(options.log, createRedactor(config.insights.token)),
  };
}

class SyncFailedError extends SupercargoError {}

/** What a request may set for a sync in this process; everything else is set by the operator. */
const openVariables = ['DRY_RUN', 'VALIDATE_POLICIES'];

function syncHere(options: JobsProgramOptions): InProcessJob {
  const { connection, namespace, temporaryDir, env, log } = options;
  return async (variables, signal) => {
    const given = openVariables.flatMap((name) => (variables.has(name) ? [[name, variables.get(name)!]] : []));
    const program = createSyncProgram({
      config: readSyncConfig({ ...env, ...Object.fromEntries(given) }),
      connection,
      lock: 'lease',
      namespace,
      env,
      temporaryDir,
      log,
      output: logOutput(log),
      // A sync on demand may wait for the lock.
      waitsForLock: true,
    });
    try {
      const { outcome, failed } = await program.run(signal);
      if (outcome !== 'succeeded')
        throw new SyncFailedError(
          'jobs-sync-failed',
          `the sync failed: ${failed.map(({ label, reason }) => `${label}: ${reason}`).join('; ')}`,
        );
    } finally {
      await program.close();
    }
  };
}
