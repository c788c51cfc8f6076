/** Worker thread of the dashboard: its own connection and watches, until it is stopped. */
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger, errorMessage, lowerThreadPriority } from '../../base/index.ts';
import { connect } from '../connect.ts';
import { runDashboard } from '../dashboard.ts';
import type { DashboardThreadSetup, FromDashboardThread } from './dashboard-thread.ts';

const port = parentPort!;
const send = (message: FromDashboardThread) => port.postMessage(message);
const stopping = new AbortController();
port.on('message', () => stopping.abort());

async function run({ setup, origin }: DashboardThreadSetup, signal: AbortSignal): Promise<void> {
  const { logLevel: level, logFormat: format } = setup.config;
  const log = createLogger({ level, format }).child({ feature: 'dashboard' });
  const connection = await connect({ ...origin, log });
  try {
    const onListening = (listening: number) => send({ kind: 'listening', port: listening });
    await runDashboard({ ...setup, connection, onListening, log }, signal);
  } finally {
    await connection.client.close();
  }
}

lowerThreadPriority();
run(workerData as DashboardThreadSetup, stopping.signal)
  .then(() => undefined, errorMessage)
  .then((failure) => send({ kind: 'ended', ...(failure && !stopping.signal.aborted ? { failure } : {}) }));
