import { Worker } from 'node:worker_threads';
import { backoffMs, type Clock, errorMessage, type Logger, onAbort, SupercargoError } from '../../base/index.ts';
import type { ConnectionOrigin } from '../connect.ts';
import type { DashboardSetup } from '../dashboard.ts';

/** The data that the thread gets at start. */
export interface DashboardThreadSetup {
  readonly setup: DashboardSetup;
  readonly origin: ConnectionOrigin;
}

export type FromDashboardThread =
  | { readonly kind: 'listening'; readonly port: number }
  /** Its work is done. Unreferenced timers may still keep the thread alive. */
  | { readonly kind: 'ended'; readonly failure?: string };

interface DashboardThreadOptions extends DashboardThreadSetup {
  readonly program: URL;
  readonly onListening: (port: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const graceMs = 2_000;
const backoff = { baseMs: 1_000, maxMs: 60_000 };
/** A thread that lived longer starts again without a long wait. */
const stableMs = 5 * 60_000;

/**
 * The page in a thread with a connection of its own: sorting and compressing lists does not delay admission. A thread
 * that fails is started again; the rest of the program goes on.
 */
export async function runDashboardThread(options: DashboardThreadOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  let hasListened = false;
  const onListening = (port: number) => {
    hasListened = true;
    options.onListening(port);
  };
  for (let failures = 0; !signal.aborted; failures++) {
    const startedAtMs = clock.monotonicMs();
    try {
      await runOnce({ ...options, onListening }, signal);
    } catch (thrown) {
      // At the start it is the configuration that is wrong, such as a port that is taken.
      if (!hasListened) throw thrown;
      log.error('the dashboard failed and starts again', { error: errorMessage(thrown) });
    }
    if (clock.monotonicMs() - startedAtMs > stableMs) failures = 0;
    if (!signal.aborted) await clock.sleep(backoffMs(failures, backoff), signal).catch(() => undefined);
  }
}

async function runOnce(
  { program, setup, origin, onListening }: DashboardThreadOptions,
  signal: AbortSignal,
): Promise<void> {
  const data: DashboardThreadSetup = { setup, origin: { ...origin, env: { ...origin.env } } };
  const worker = new Worker(program, { workerData: data });
  let failure: unknown;
  worker.on('message', (message: FromDashboardThread) => {
    if (message.kind === 'listening') return onListening(message.port);
    if (message.failure !== undefined) failure = new SupercargoError('dashboard-thread', message.failure);
    void worker.terminate();
  });
  worker.on('error', (thrown) => {
    failure = thrown;
  });
  let insist: NodeJS.Timeout | undefined;
  const unlink = onAbort(signal, () => {
    worker.postMessage({ kind: 'stop' });
    insist = setTimeout(() => void worker.terminate(), graceMs);
  });
  await new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  unlink();
  clearTimeout(insist);
  if (signal.aborted) return;
  throw failure ?? new SupercargoError('dashboard-thread', 'the thread of the dashboard has ended');
}
