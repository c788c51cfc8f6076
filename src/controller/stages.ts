import type { Clock, Logger } from '../base/index.ts';
import { isEchoOf, linkAbort, whenAborted } from './abort.ts';
import { ControllerError, describeThrown, StillRunningError } from './errors.ts';

/** Something that runs as long as the program, or as long as this replica leads. */
export interface Runnable {
  readonly name: string;
  /** Lower starts earlier and stops later; see `startOrder`. Equal numbers start together. */
  readonly order?: number;
  /** The leadership group that must be led while this runs; runs on every replica when absent. */
  readonly needsLeadership?: string;
  /** One-time work: it ends by itself, and what comes later in the order waits for its end. */
  readonly once?: boolean;
  /** Resolves when the signal has aborted and all it started has stopped; earlier only with `once`. */
  run(signal: AbortSignal): Promise<void>;
  /** True, or why not yet. What comes later in the order waits for it. */
  ready?(): boolean | string;
}

/** The usual places in the order; any number in between is fine. */
export const startOrder = { setup: 0, sources: 100, servers: 200, controllers: 300 } as const;

export interface StagesContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly shutdownMs: number;
  readonly pollMs: number;
  /** What runs now, over all nested stages; kept by `runStages`. */
  readonly running: Set<Runnable>;
  readonly ended: Set<Runnable>;
  /** Called when the stop begins, whether asked for or caused by a failure. */
  readonly onStop?: () => void;
}

interface Launched {
  readonly runnable: Runnable;
  readonly done: Promise<void>;
  stop(reason: unknown): void;
}

/**
 * Starts the runnables stage by stage, each stage after the one before is ready; runs until the signal aborts or one
 * of them fails; then stops them stage by stage in the reverse order, waiting for each. Throws the first failure.
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
    // Whoever holds a lease must learn that work goes on, whatever else failed before.
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
        const message = `runnable "${runnable.name}" ended although nobody stopped it`;
        fail(new ControllerError('controller-runnable-ended', message));
      }
    } catch (thrown) {
      if (!isEchoOf(signal, thrown)) fail(failureOf(runnable, thrown));
    } finally {
      context.running.delete(runnable);
      context.ended.add(runnable);
      log.info('Stopped');
    }
  };
  return { runnable, done: guarded(), stop: (reason) => controller.abort(reason) };
}

/** The innermost failure keeps its name: that a leadership group failed because of it is of no use to a reader. */
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
      log.warn('Still waiting before the next stage starts', { reasons: waiting });
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
