import { Worker } from 'node:worker_threads';
import { errorMessage, type LogFormat, type LogLevel, onAbort, SupercargoError } from '../../base/index.ts';
import { createRemoteLeaderships, type Runnable, startOrder } from '../../controller/index.ts';
import type { ConfigReload } from '../config-watch.ts';
import type { ConnectionOrigin } from '../connect.ts';
import type { Elect } from '../leaderships.ts';
import { plain, type StatusResponder } from '../status-responses.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { FromLiveness, LivenessSetup, ToLiveness } from './messages.ts';

interface LivenessThreadOptions {
  readonly program: URL;
  readonly origin: ConnectionOrigin;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly reload?: ConfigReload | undefined;
  readonly server?: LivenessSetup['server'];
  /** Responds to requests that only this event loop can serve. */
  readonly respond: StatusResponder;
  readonly onListening?: ((address: string) => void) | undefined;
  readonly stillMs?: number;
  /** How long the thread may take to stop. */
  readonly graceMs?: number;
}

interface LivenessThread {
  readonly elect: Elect;
  /** Must start before all leaderships and stop after them. */
  readonly runnable: Runnable;
}

const beatMs = 500;
const defaultStillMs = 10_000;

/**
 * Leases and `/healthz` in a separate thread: evaluations do not delay them, and when this event loop has not turned
 * for 10 s, the thread stops renewing and `/healthz` fails.
 */
export function createLivenessThread(options: LivenessThreadOptions): LivenessThread {
  const { program, respond, onListening, stillMs = defaultStillMs, graceMs = 5_000 } = options;
  const heartbeat = createHeartbeat();
  let worker: Worker | undefined;
  let { logLevel } = options;
  const send = (message: ToLiveness) => worker?.postMessage(message);
  options.reload?.subscribe((config) => {
    logLevel = config.logLevel;
    send({ kind: 'logLevel', level: logLevel });
  });
  const leaderships = createRemoteLeaderships((message) => send({ kind: 'leadership', message }));

  const reply = async (id: number, url: string): Promise<void> => {
    const given = await respond(url).catch((thrown: unknown) => plain(500, errorMessage(thrown)));
    send({ kind: 'response', id, response: given });
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const { origin, logFormat, server } = options;
    const setup: LivenessSetup = {
      origin: { ...origin, env: { ...origin.env } },
      logLevel,
      logFormat,
      server,
      heartbeat: heartbeat.memory,
      stillMs,
    };
    heartbeat.beat();
    const beating = setInterval(heartbeat.beat, beatMs);
    const running = new Worker(program, { workerData: setup });
    worker = running;
    let failure: Error | undefined;
    running.on('message', (message: FromLiveness) => {
      if (message.kind === 'leadership') leaderships.receive(message.message);
      else if (message.kind === 'request') void reply(message.id, message.url);
      else if (message.kind === 'listening') onListening?.(message.address);
      else {
        if (message.failure)
          failure = new SupercargoError(message.failure.code ?? 'liveness-thread', message.failure.message);
        void running.terminate();
      }
    });
    running.on('error', (thrown) => {
      failure = thrown instanceof Error ? thrown : new Error(String(thrown));
    });
    let insist: NodeJS.Timeout | undefined;
    const stop = () => {
      send({ kind: 'stop' });
      insist = setTimeout(() => void running.terminate(), graceMs);
    };
    const unlink = onAbort(signal, stop);
    await new Promise<void>((resolve) => running.once('exit', () => resolve()));
    unlink();
    clearTimeout(insist);
    clearInterval(beating);
    worker = undefined;
    if (!signal.aborted) failure ??= new SupercargoError('liveness-thread', 'the liveness thread has ended');
    leaderships.lost(failure ?? new SupercargoError('liveness-thread', 'the liveness thread was stopped'));
    if (failure) throw failure;
  };

  return {
    elect: leaderships.leadershipOf,
    runnable: { name: 'liveness', order: startOrder.setup, run },
  };
}
