import { type Clock, type Logger, linkAbort, whenAborted } from '../base/index.ts';
import { isAbortOf } from './abort.ts';
import { ControllerError, describeThrown, StillRunningError } from './errors.ts';

/** Runs as long as the program, or as long as this replica leads. */
export interface Runnable {
  readonly name: string;
  /** Lower starts earlier and stops later; see `startOrder`. Equal numbers start together. */
  readonly order?: number;
  /** The leadership group that this replica must lead while this runs. Runs on every replica when absent. */
  readonly needsLeadership?: string;
  /** One-time work: it ends by itself, and later stages wait for its end. */
  readonly once?: boolean;
  /** Resolves when the signal has aborted and everything it started has stopped; earlier only with `once`. */
  run(signal: AbortSignal): Promise<void>;
  /** True, or the reason why not. Later stages wait for it. */
  ready?(): boolean | string;
}

/** The usual orders; any number in between is allowed. */
export const startOrder = { setup: 0, sources: 100, servers: 200, controllers: 300 } as const;

export interface StagesContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly shutdownMs: number;
  readonly pollMs: number;
  /** Active runnables of all nested stages; maintained by `runStages`. */
  readonly running: Set<Runnable>;
  readonly ended: Set<Runnable>;
  /** Called when the stop starts, requested or caused by a failure. */
  readonly onStop?: () => void;
}

interface Launched {
  readonly runnable: Runnable;
  readonly done: Promise<void>;
  stop(reason: unknown): void;
}

/**
 * Starts the runnables stage by stage, each stage when the one before is ready. Runs until the signal aborts or a
 * runnable fails. Then stops them stage by stage in reverse order and waits for each. Throws the first failure.
 */
export async function runStages(
  runnables: readonly Runnable[],
  context: StagesContext,
  signal: AbortSignal,
): Promise<void> {
  const stop = linkAbort(signal);
  let failure: unknown;
  const fail = (thrown: unknown) => {
    failure ??= thrown;
    stop.abort(thrown);
  };
  const started: Launched[][] = [];
  for (const stage of inOrder(runnables)) {
    if (stop.signal.aborted) break;
    started.push(stage.map((runnable) => launch(runnable, context, fail)));
    await untilReady(stage, context, stop.signal);
  }
  await whenAborted(stop.signal);
  stop.unlink();
  context.onStop?.();
  await stopInReverse(started, context, stop.signal.reason).catch((thrown: unknown) => {
    failure ??= thrown;
    // The holder of a lease must learn that work still runs, whatever failed before.
    if (!(failure instanceof StillRunningError) && thrown instanceof StillRunningError) {
      failure = new StillRunningError(thrown.code, `${describeThrown(failure)}; then ${thrown.message}`, {
        cause: failure,
      });
    }
  });
  if (failure !== undefined) throw failure;
}

/** Why a runnable is not ready, or undefined when it is. */
export function unreadyReason(runnable: Runnable, { running, ended }: StagesContext): string | undefined {
  if (ended.has(runnable)) return runnable.once ? undefined : `${runnable.name}: has stopped`;
  if (!running.has(runnable)) return `${runnable.name}: has not started`;
  if (runnable.once) return `${runnable.name}: has not finished`;
  try {
    const ready = runnable.ready?.() ?? true;
    if (ready === true) return undefined;
    return `${runnable.name}: ${ready === false ? 'is not ready' : ready}`;
  } catch (thrown) {
    return `${runnable.name}: ${describeThrown(thrown)}`;
  }
}

function inOrder(runnables: readonly Runnable[]): Runnable[][] {
  const stages = new Map<number, Runnable[]>();
  for (const runnable of runnables) {
    const order = runnable.order ?? startOrder.controllers;
    stages.set(order, [...(stages.get(order) ?? []), runnable]);
  }
  return [...stages].sort(([a], [b]) => a - b).map(([, stage]) => stage);
}

function launch(runnable: Runnable, context: StagesContext, fail: (thrown: unknown) => void): Launched {
  const controller = new AbortController();
  const { signal } = controller;
  const log = context.log.child({ runnable: runnable.name });
  const guarded = async () => {
    context.ended.delete(runnable);
    context.running.add(runnable);
    log.info('Starting');
    try {
      await runnable.run(signal);
      if (!signal.aborted && !runnable.once) {
        const message = `runnable "${runnable.name}" ended before it was stopped`;
        fail(new ControllerError('controller-runnable-ended', message));
      }
    } catch (thrown) {
      if (!isAbortOf(signal, thrown)) fail(failureOf(runnable, thrown));
    } finally {
      context.running.delete(runnable);
      context.ended.add(runnable);
      log.info('Stopped');
    }
  };
  return { runnable, done: guarded(), stop: (reason) => controller.abort(reason) };
}

/** Keeps the innermost failure, because it names the cause. The leadership group around it does not. */
function failureOf(runnable: Runnable, thrown: unknown): ControllerError {
  if (thrown instanceof ControllerError) return thrown;
  const message = `runnable "${runnable.name}" failed: ${describeThrown(thrown)}`;
  return new ControllerError('controller-runnable-failed', message, { cause: thrown });
}

async function untilReady(stage: readonly Runnable[], context: StagesContext, signal: AbortSignal): Promise<void> {
  const { clock, pollMs, log } = context;
  const reasons = () => stage.map((runnable) => unreadyReason(runnable, context)).filter((reason) => reason);
  let lastLogMs = clock.monotonicMs();
  for (let waiting = reasons(); waiting.length > 0 && !signal.aborted; waiting = reasons()) {
    if (clock.monotonicMs() - lastLogMs >= 10_000) {
      lastLogMs = clock.monotonicMs();
      log.warn('Waiting for runnables before the next stage starts', { reasons: waiting });
    }
    await clock.sleep(pollMs, signal).catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
    });
  }
}

async function stopInReverse(started: readonly Launched[][], context: StagesContext, reason: unknown): Promise<void> {
  let cancel = () => {};
  const deadline = new Promise<'late'>((resolve) => {
    cancel = context.clock.after(context.shutdownMs, () => resolve('late'));
  });
  for (const stage of started.toReversed()) {
    for (const launched of stage) launched.stop(reason);
    const stopped = Promise.all(stage.map(({ done }) => done));
    if ((await Promise.race([stopped, deadline])) !== 'late') continue;
    const names = [...context.running].map(({ name }) => name);
    for (const launched of started.flat()) launched.stop(reason);
    const message = `shutdown took longer than ${context.shutdownMs} ms; still running: ${names.join(', ')}`;
    throw new StillRunningError('controller-shutdown-deadline', message);
  }
  cancel();
}
