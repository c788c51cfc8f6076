/** The thread of reports: a connection, policies and a reporter of its own, until it is told to stop. */
import { parentPort, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import { createLogger, errorMessage, goBehindOthers, silentLogger } from '../../base/index.ts';
import { createManager } from '../../controller/index.ts';
import type { AdmittedResults } from '../../report/index.ts';
import { connect } from '../connect.ts';
import { createEnvironment, selectorOf, supportsOf } from '../environment.ts';
import { tallyCounts } from './report-counts.ts';
import { openReporter } from './report-setup.ts';
import type { FromReportThread, ReportThreadSetup, ToReportThread } from './report-thread.ts';

const countsMs = 1_000;
const port = parentPort!;
const send = (message: FromReportThread) => port.postMessage(message);
const stopping = new AbortController();
let take: (admitted: AdmittedResults) => void = (admitted) => early.push(admitted);
const early: AdmittedResults[] = [];
port.on('message', (message: ToReportThread) => {
  if (message.kind === 'stop') stopping.abort();
  else take(message.admitted);
});

async function run({ config, origin }: ReportThreadSetup, signal: AbortSignal): Promise<void> {
  const log = createLogger({ level: config.logLevel });
  const connection = await connect({ ...origin, log });
  try {
    // Who looks after the cluster was said when the program started.
    const selector = await selectorOf(config, connection, silentLogger);
    const environment = createEnvironment({
      config,
      connection,
      env: origin.env,
      metrics: new Registry(),
      selector,
      log,
    });
    let tally: ReturnType<typeof tallyCounts> | undefined;
    const metrics = (gauges: Parameters<typeof tallyCounts>[0]) => (tally = tallyCounts(gauges));
    const reporter = openReporter(environment, { metrics, isAlone: true });
    const tell = () => tally && send({ kind: 'counts', counts: tally.take(), isIdle: reporter.isIdle });
    const timer = setInterval(tell, countsMs);
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
      tell();
    }
  } finally {
    await connection.client.close();
  }
}

goBehindOthers();
run(workerData as ReportThreadSetup, stopping.signal)
  .catch((thrown) => {
    if (!stopping.signal.aborted) send({ kind: 'failed', message: errorMessage(thrown) });
  })
  .finally(() => port.close());
