import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorMessage, type Logger, type LogLevel, logLevels, systemClock } from '../base/index.ts';
import type { Runnable } from '../controller/index.ts';
import {
  createInsightsClient,
  createRedactor,
  createSettingsReader,
  type InsightsSettings,
  readInsightsSettings,
  redactLogs,
  redactValue,
  type Variables,
} from '../insights/index.ts';
import {
  createFileLock,
  createKyvernoCliValidator,
  createLeaseLock,
  createRunStore,
  notRunLine,
  ownProcess,
  type PolicyValidator,
  readSyncSettings,
  repeatSync,
  runSync,
  type SyncLine,
  type SyncLock,
  SyncLockedError,
  type SyncMetrics,
  type SyncOptions,
  type SyncOutput,
  type SyncResult,
  type SyncSettings,
  withLock,
} from '../sync/index.ts';
import type { Connection } from './connect.ts';
import { createEngineValidator } from './policy-check.ts';

export {
  createSyncMetrics,
  notRunLine,
  SyncLockedError,
  type SyncMetrics,
  type SyncOutput,
  type SyncResult,
} from '../sync/index.ts';

export interface SyncConfig {
  readonly insights: InsightsSettings;
  readonly sync: SyncSettings;
  readonly logLevel: LogLevel;
}

/** The settings of a sync from the environment; one UsageError names everything missing or invalid. */
export function readSyncConfig(env: Variables): SyncConfig {
  const reader = createSettingsReader(env);
  const config = {
    insights: readInsightsSettings(reader),
    sync: readSyncSettings(reader),
    logLevel: reader.choice('LOG_LEVEL', 'info', logLevels),
  };
  reader.finish();
  return config;
}

export interface SyncProgramOptions {
  readonly config: SyncConfig;
  readonly connection: Connection;
  /** `auto`: a Lease in a cluster, otherwise a file. */
  readonly lock: 'auto' | 'file' | 'lease';
  /** The namespace of the Lease; the connection's own if undefined. */
  readonly namespace?: string | undefined;
  readonly env: Variables;
  readonly temporaryDir: string;
  readonly output: SyncOutput;
  /** Waits for another running sync instead of failing. */
  readonly waitsForLock?: boolean;
  readonly metrics?: SyncMetrics | undefined;
  readonly log: Logger;
}

export interface SyncProgram {
  /** One run under the lock; throws SyncLockedError if another sync holds it. */
  run(signal: AbortSignal): Promise<SyncResult>;
  close(): Promise<void>;
}

export function createSyncProgram(options: SyncProgramOptions): SyncProgram {
  const { config, connection } = options;
  const { client, discovery } = connection;
  const redact = createRedactor(config.insights.token);
  const log = redactLogs(options.log, redact);
  const insights = createInsightsClient(config.insights);
  const output: SyncOutput = {
    line: (line) => options.output.line(redactValue(line, redact) as SyncLine),
    diff: (title, text) => options.output.diff(title, redact(text)),
  };
  const syncOptions: SyncOptions = {
    fetchPolicies: (within) => insights.fetchPolicies(within),
    report: (status, within) => insights.reportPolicyStatus(status, within),
    client,
    discovery,
    validators: validatorsOf(options, log),
    settings: config.sync,
    output,
    clock: systemClock,
    log,
  };
  return {
    async run(outer) {
      const lock = options.waitsForLock ? waiting(lockOf(options)) : lockOf(options);
      let hasBegun = false;
      try {
        const renewMs = renewMsOf(config.sync);
        return await withLock({ lock, clock: systemClock, renewMs, signal: outer }, async (signal) => {
          hasBegun = true;
          log.debug('Policy sync lock acquired');
          const result = await runSync(syncOptions, signal);
          options.metrics?.finished(result, systemClock.now());
          return result;
        });
      } catch (thrown) {
        if (!hasBegun) {
          output.line(notRunLine(thrown, config.sync.isDryRun));
          options.metrics?.notRun(thrown instanceof SyncLockedError ? 'locked' : 'error');
        }
        throw thrown;
      }
    },
    close: () => insights.close(),
  };
}

const lockPollMs = 2_000;

/** Waits for the lock of another sync; after the time limit the error names the holder. */
function waiting(lock: SyncLock): SyncLock {
  return {
    ...lock,
    async acquire(signal) {
      for (;;) {
        try {
          return await lock.acquire(signal);
        } catch (thrown) {
          if (!(thrown instanceof SyncLockedError)) throw thrown;
          await systemClock.sleep(lockPollMs, signal).catch(() => undefined);
          if (signal.aborted) throw thrown;
        }
      }
    },
  };
}

/** Without a terminal, lines and diffs go to the log. */
export const logOutput = (log: Logger): SyncOutput => ({
  line: ({ level, msg, ...fields }) => log[level](msg, fields),
  diff: (title, text) => log.info(title, { diff: text }),
});

type RecordOptions = Omit<SyncProgramOptions, 'output' | 'lock'> & { readonly installation: string };

/** Runs of the program that the dashboard shows: each is recorded in the cluster, also one that fails. */
export function recordedRun(program: SyncProgram, options: RecordOptions): SyncProgram['run'] {
  const { config, log, connection, installation } = options;
  const { client } = connection;
  const redact = createRedactor(config.insights.token);
  const namespace = options.namespace ?? client.config.namespace;
  const store = createRunStore({ client, namespace, installation, redact });
  const record = (run: Parameters<typeof store.add>[0], signal: AbortSignal) =>
    store.add(run, signal).catch((thrown) => {
      log.warn('a run of the policy sync was not recorded', { error: redact(errorMessage(thrown)) });
    });
  return async (signal) => {
    try {
      const result = await program.run(signal);
      await record({ endedAtMs: systemClock.now(), result }, signal);
      return result;
    } catch (thrown) {
      const { isDryRun } = config.sync;
      // A run of somebody else is no failure.
      if (!signal.aborted && !(thrown instanceof SyncLockedError))
        await record({ endedAtMs: systemClock.now(), error: errorMessage(thrown), isDryRun }, signal);
      throw thrown;
    }
  };
}

/** The sync of `supercargo run`: every interval while this replica leads. */
export function createPolicySync(options: RecordOptions): Runnable {
  const { config, log } = options;
  return {
    name: 'policy-sync',
    needsLeadership: 'sync',
    // A replica can lead more than once; a leader session must not use what an earlier one has closed.
    async run(signal) {
      const program = createSyncProgram({ ...options, output: logOutput(log), lock: 'lease' });
      const run = recordedRun(program, options);
      const redact = createRedactor(config.insights.token);
      try {
        await repeatSync(
          {
            sync: async (within) => void (await run(within)),
            intervalMs: config.sync.intervalMs,
            clock: systemClock,
            random: Math.random,
            log: redactLogs(log, redact),
          },
          signal,
        );
      } finally {
        await program.close();
      }
    },
  };
}

/** Several renewals within the shortest time after which others take over. */
const renewMsOf = ({ lockTimeoutMs }: SyncSettings) => Math.min(lockTimeoutMs / 4, 20_000);

function lockOf({ config, connection, lock, namespace, temporaryDir }: SyncProgramOptions): SyncLock {
  const { client } = connection;
  const { lockTimeoutMs: timeoutMs, lockFile } = config.sync;
  const isInCluster = client.config.isInPod === true;
  if (lock === 'lease' || (lock === 'auto' && isInCluster))
    return createLeaseLock({
      client,
      namespace: namespace ?? client.config.namespace,
      identity: `${hostname()}_${process.pid}_${randomUUID().slice(0, 8)}`,
      self: ownProcess(),
      isInCluster,
      timeoutMs,
      clock: systemClock,
    });
  return createFileLock({
    path: lockFile ?? join(temporaryDir, 'kyverno-policy-sync.lock'),
    self: ownProcess(),
    timeoutMs,
    serverTimeMs: async (signal) => (await client.raw('/version', { signal })).serverTimeMs ?? systemClock.now(),
    clock: systemClock,
  });
}

function validatorsOf({ config, env, temporaryDir }: SyncProgramOptions, log: Logger): readonly PolicyValidator[] {
  const { validates, kyvernoCli } = config.sync;
  if (!validates) return [];
  const engine = createEngineValidator(log);
  if (kyvernoCli === undefined) return [engine];
  // Not the temporary directory: any user could place configuration there.
  const { PATH = '', HOME = '/nonexistent' } = env;
  return [engine, createKyvernoCliValidator({ program: kyvernoCli, env: { PATH, HOME }, temporaryDir })];
}
