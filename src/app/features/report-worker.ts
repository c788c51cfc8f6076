/** Worker thread of reports: its own connection, policies and reporter, until it is stopped. */
import { parentPort, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import {
  backoffMs,
  createLogger,
  errorMessage,
  type Logger,
  lowerThreadPriority,
  systemClock,
} from '../../base/index.ts';
import { createManager } from '../../controller/index.ts';
import { type LabelMatcher, type LabelSelector, labelSelectorOf } from '../../object/index.ts';
import type { AdmittedResults, OpenReportMetrics } from '../../report/index.ts';
import { type Connection, type ConnectionOrigin, connect } from '../connect.ts';
import { createEnvironment, supportsOf } from '../environment.ts';
import { checkpointOf } from './report-checkpoint.ts';
import { tallyCounts } from './report-counts.ts';
import { openReporter } from './report-setup.ts';
import type { FromReportThread, ReportThreadSetup, ToReportThread } from './report-thread.ts';

const countsMs = 1_000;
const port = parentPort!;
const send = (message: FromReportThread) => port.postMessage(message);
const stopping = new AbortController();
let { logLevel } = (workerData as ReportThreadSetup).config;
const maxEarly = 5_000;
const early: AdmittedResults[] = [];
let take = (admitted: AdmittedResults): void => {
  if (early.push(admitted) > maxEarly) early.shift();
};
port.on('message', (message: ToReportThread) => {
  if (message.kind === 'stop') stopping.abort();
  else if (message.kind === 'logLevel') logLevel = message.level;
  else take(message.admitted);
});

/** The program could reach the cluster when it started, so this failure is transient. */
async function connectAtLast(origin: ConnectionOrigin, log: Logger, signal: AbortSignal): Promise<Connection> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect({ ...origin, log });
    } catch (thrown) {
      log.warn('the report thread has no connection yet', { error: errorMessage(thrown) });
      await systemClock.sleep(backoffMs(attempt, { baseMs: 500, maxMs: 30_000 }), signal);
    }
  }
}

function selectorOf({ config, ownPolicies }: ReportThreadSetup): LabelMatcher | undefined {
  if (ownPolicies === 'selected') return labelSelectorOf(config.policies.selector as LabelSelector);
  return ownPolicies === 'all' ? undefined : () => false;
}

async function run(setup: ReportThreadSetup, signal: AbortSignal): Promise<void> {
  const { config, origin } = setup;
  const log = createLogger({ level: () => logLevel, format: config.logFormat });
  const connection = await connectAtLast(origin, log, signal);
  try {
    const selector = selectorOf(setup);
    const environment = createEnvironment({
      config,
      connection,
      env: origin.env,
      metrics: new Registry(),
      selector,
      log,
    });
    let tally: ReturnType<typeof tallyCounts> | undefined;
    const metrics: OpenReportMetrics = (gauges) => (tally = tallyCounts(gauges));
    const reporter = openReporter(environment, {
      metrics,
      isAlone: true,
      checkpoint: checkpointOf(config),
      onProblem: (policy, problem) => send({ kind: 'problem', policy, problem }),
    });
    const sendCounts = () => tally && send({ kind: 'counts', counts: tally.take(), isIdle: reporter.isIdle });
    const timer = setInterval(sendCounts, countsMs);
    const start = () => {
      take = (admitted) => reporter.takeAdmitted(admitted);
      for (const admitted of early.splice(0)) take(admitted);
    };
    const report = {
      name: 'report',
      run(until: AbortSignal) {
        const running = reporter.run(until);
        start();
        return running;
      },
    };
    try {
      await createManager({ log, pollMs: 5, runnables: [...supportsOf(environment), report] }).run(signal);
    } finally {
      clearInterval(timer);
      sendCounts();
    }
  } finally {
    await connection.client.close();
  }
}

lowerThreadPriority();
run(workerData as ReportThreadSetup, stopping.signal)
  .then(() => undefined, errorMessage)
  .then((failure) => send({ kind: 'ended', ...(failure && !stopping.signal.aborted ? { failure } : {}) }));
