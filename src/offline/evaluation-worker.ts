/**
 * Worker thread that evaluates batches: it gets its setup at start and responds to each batch with findings, in order.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage, SupercargoError } from '../base/index.ts';
import { openApplication } from './apply.ts';
import type { WorkerResponse, WorkerSetup, WorkerTask } from './evaluation-pool.ts';
import { findingOf } from './report/index.ts';

const { setup, options } = workerData as WorkerSetup;
const application = openApplication(setup);

function respondTo(task: WorkerTask): WorkerResponse {
  try {
    if (task.kind === 'definitions') {
      application.learn(task.definitions);
      return { findings: [] };
    }
    return { findings: [...application.evaluateBatch(task.batch)].map((evaluated) => findingOf(evaluated, options)) };
  } catch (thrown) {
    if (thrown instanceof SupercargoError) return { error: { code: thrown.code, message: errorMessage(thrown) } };
    throw thrown;
  }
}

parentPort?.on('message', (task: WorkerTask) => parentPort?.postMessage(respondTo(task)));
