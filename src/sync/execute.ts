import { type Clock, errorMessage, SupercargoError } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Operation } from './plan.ts';
import { rollBackOperation } from './roll-back.ts';
import type { SyncMode } from './settings.ts';
import { createPolicy, removePolicy, updatePolicy } from './write.ts';

interface ExecuteOptions {
  readonly client: KubeClient;
  readonly mode: SyncMode;
  readonly clock: Clock;
  readonly onStep: (step: OperationResult) => void;
  readonly signal: AbortSignal;
}

/** One event of a run, reported as it happens. */
export interface OperationResult {
  readonly operation: Operation;
  readonly result: 'done' | 'failed' | 'rolled-back' | 'not-rolled-back';
  readonly reason?: string;
}

/** An operation that was sent. Without `stored` its response is unknown, so it may or may not have happened. */
export interface SentOperation {
  readonly operation: Operation;
  readonly stored?: KubeObject;
}

/** The roll-back gets its time even if the program is asked to stop. */
const rollBackMs = 25_000;

/** Executes the operations one after another. Atomic mode stops at the first failure and rolls back what was done. */
export async function execute(operations: readonly Operation[], options: ExecuteOptions): Promise<void> {
  const { mode, signal, onStep } = options;
  const sent: SentOperation[] = [];
  let hasFailed = false;
  for (const operation of operations) {
    // A policy is removed only after everything that replaces it exists.
    if (hasFailed && (mode === 'atomic' || signal.aborted)) break;
    const outcome = await perform(operation, options);
    if (outcome.reason === undefined) {
      sent.push(outcome.sent);
      onStep({ operation, result: 'done' });
      continue;
    }
    hasFailed = true;
    if (outcome.mayHaveHappened) sent.push({ operation });
    onStep({ operation, result: 'failed', reason: outcome.reason });
  }
  if (hasFailed && mode === 'atomic') await rollBack(sent, options);
}

type Outcome =
  | { readonly sent: SentOperation; readonly reason?: undefined }
  | { readonly reason: string; readonly mayHaveHappened: boolean };

async function perform(operation: Operation, { client, signal }: ExecuteOptions): Promise<Outcome> {
  try {
    signal.throwIfAborted();
  } catch {
    return { reason: 'the sync was stopped before', mayHaveHappened: false };
  }
  try {
    if (operation.action === 'apply')
      return { sent: { operation, stored: await createPolicy(client, operation, { signal }) } };
    if (operation.action === 'update')
      return { sent: { operation, stored: await updatePolicy(client, operation, { signal }) } };
    await removePolicy(client, operation, { signal });
    return { sent: { operation } };
  } catch (thrown) {
    if (signal.aborted) return { reason: 'the sync was stopped', mayHaveHappened: true };
    if (!(thrown instanceof SupercargoError)) throw thrown;
    // A rejection is certain; a time-out, a broken connection or a server error is not.
    const { status } = isKubeError(thrown) ? thrown : { status: 400 };
    return { reason: errorMessage(thrown), mayHaveHappened: status === undefined || status >= 500 || status === 408 };
  }
}

async function rollBack(sent: readonly SentOperation[], { client, clock, onStep }: ExecuteOptions): Promise<void> {
  const controller = new AbortController();
  const cancel = clock.after(rollBackMs, () => controller.abort(new Error('the time limit was reached')));
  try {
    for (const one of sent.toReversed()) {
      const { operation } = one;
      try {
        const wasThere = await rollBackOperation(one, client, controller.signal);
        if (wasThere) onStep({ operation, result: 'rolled-back' });
      } catch (thrown) {
        onStep({ operation, result: 'not-rolled-back', reason: errorMessage(thrown) });
      }
    }
  } finally {
    cancel();
  }
}
