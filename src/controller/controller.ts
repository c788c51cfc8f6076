import {
  type BackoffOptions,
  type Clock,
  errorCode,
  type Logger,
  linkAbort,
  type Retry,
  retryOf,
  silentLogger,
} from '../base/index.ts';
import { isAbortOf } from './abort.ts';
import { ControllerError, describeThrown } from './errors.ts';
import { createWorkqueue, type WorkOptions, type Workqueue, type WorkqueueMetrics } from './workqueue.ts';

/**
 * Without `requeueAfterMs` the key is done; with it the key is reconciled again after that time, although nothing
 * failed.
 */
export interface ReconcileResult {
  readonly requeueAfterMs?: number | undefined;
}

/**
 * Brings the object of a key closer to its desired state. Level-triggered: it gets the key, never the change. A thrown
 * error says when to retry (`Retry`): with back-off, after a time, or never (until the next event).
 */
export type Reconcile = (key: string, signal: AbortSignal) => Promise<ReconcileResult | undefined> | Promise<void>;

export type KeySink = Pick<Workqueue, 'add' | 'addAfter'>;

/**
 * Feeds keys until the signal aborts. It may return at once (after it registers a handler that it removes on abort) or
 * run until the signal aborts. A rejection fails the controller.
 */
export type Source = (sink: KeySink, signal: AbortSignal) => void | Promise<void>;

export const reconcileOutcomes = ['success', 'requeue_after', 'error', 'terminal_error'] as const;
export type ReconcileOutcome = (typeof reconcileOutcomes)[number];

/** The metrics of one controller. */
export interface ReconcileMetrics {
  readonly queue: WorkqueueMetrics;
  reconciled(outcome: ReconcileOutcome): void;
}

export interface ControllerOptions extends WorkOptions {
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly sources: readonly Source[];
  readonly backoff?: Partial<BackoffOptions>;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Required, so that no controller runs without metrics. */
  readonly metrics: { forController(name: string): ReconcileMetrics };
}

export interface Controller {
  readonly name: string;
  /**
   * Feeds and reconciles until the signal aborts, and resolves when everything has stopped. May run again afterwards
   * (leadership lost and won): every run starts with an empty queue and starts its sources again.
   */
  run(signal: AbortSignal): Promise<void>;
}

export function createController(options: ControllerOptions): Controller {
  // Bound at creation, not in `run`: the series exist from the start, also while another replica leads.
  const counts = options.metrics.forController(options.name);
  return { name: options.name, run: (signal) => runController(options, counts, signal) };
}

async function runController(options: ControllerOptions, counts: ReconcileMetrics, signal: AbortSignal): Promise<void> {
  const log = (options.log ?? silentLogger).child({ controller: options.name });
  const { backoff, clock } = options;
  const queue = createWorkqueue({
    ...(backoff && { backoff }),
    ...(clock && { clock }),
    metrics: counts.queue,
  });
  const stop = linkAbort(signal);
  const guarded = async (work: Promise<void>) => {
    try {
      await work;
    } catch (thrown) {
      if (isAbortOf(stop.signal, thrown)) return;
      stop.abort(thrown);
      throw thrown;
    }
  };
  const work = (key: string, workSignal: AbortSignal) =>
    reconcileOne({ ...options, counts, queue, log }, key, workSignal);
  const parts = await Promise.allSettled([
    ...options.sources.map((source) => guarded(feed(options.name, source, queue, stop.signal))),
    guarded(queue.run(work, stop.signal, options)),
  ]);
  stop.unlink();
  const failed = parts.find((part) => part.status === 'rejected');
  if (failed) throw failed.reason;
}

async function feed(controller: string, source: Source, sink: KeySink, signal: AbortSignal): Promise<void> {
  try {
    await source(sink, signal);
  } catch (thrown) {
    if (isAbortOf(signal, thrown)) return;
    const message = `a source of controller "${controller}" failed: ${describeThrown(thrown)}`;
    throw new ControllerError('controller-source-failed', message, { cause: thrown });
  }
}

interface ReconcileContext extends ControllerOptions {
  readonly counts: ReconcileMetrics;
  readonly queue: Workqueue;
  readonly log: Logger;
}

async function reconcileOne(context: ReconcileContext, key: string, signal: AbortSignal): Promise<void> {
  const { queue, counts } = context;
  try {
    const result = await context.reconcile(key, signal);
    queue.forget(key);
    if (result?.requeueAfterMs === undefined) return counts.reconciled('success');
    queue.addAfter(key, result.requeueAfterMs);
    counts.reconciled('requeue_after');
  } catch (thrown) {
    if (!isAbortOf(signal, thrown)) onFailure(context, key, thrown);
  }
}

// The same call would fail again, but a reconcile starts with a read, and the state behind these codes changes without
// an event.
const retriedCodes: ReadonlySet<string | undefined> = new Set([
  'kube-already-exists',
  'kube-conflict',
  'kube-forbidden',
  'kube-gone',
  'kube-not-found',
  'kube-unauthorized',
]);

function reconcileRetryOf(thrown: unknown): Retry {
  return retriedCodes.has(errorCode(thrown)) ? 'backoff' : retryOf(thrown);
}

function onFailure({ queue, counts, log }: ReconcileContext, key: string, thrown: unknown): void {
  const retry = reconcileRetryOf(thrown);
  const fields = thrown instanceof Error ? { key, err: thrown } : { key, thrown: describeThrown(thrown) };
  if (retry === 'never') {
    queue.forget(key);
    log.error('Reconcile failed; no retry before the next event', fields);
    counts.reconciled('terminal_error');
    return;
  }
  const retries = queue.retries(key);
  let pauseMs: number;
  if (retry === 'backoff') pauseMs = queue.addRateLimited(key);
  else queue.addAfter(key, (pauseMs = retry.afterMs));
  log.warn('Reconcile failed; retrying', { ...fields, retries, pauseMs });
  counts.reconciled('error');
}
