import { type Clock, errorMessage, type Logger, onAbort } from '../base/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { Checkpoint } from './checkpoint.ts';
import { readCheckpointFile, writeCheckpointFile } from './checkpoint-file.ts';
import { KeptResults } from './kept-results.ts';

/** Where the results of scans are kept for the next start. */
export interface CheckpointOptions {
  readonly path: string;
  /** The code that evaluates, and the settings that results depend on: results of another are not used. */
  readonly program: string;
}

interface CheckpointContext extends CheckpointOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

const firstMs = 30_000;
const intervalMs = 300_000;
const pollMs = 1_000;

/** Undefined if there is no checkpoint, or none that counts: then everything is evaluated. */
export async function readCheckpoint(
  { path, program, clock, log }: CheckpointContext,
  policies: LivePolicies,
  maxAgeMs: number,
): Promise<KeptResults | undefined> {
  try {
    const bytes = await readCheckpointFile(path);
    if (!bytes) return undefined;
    const checkpoint = Checkpoint.parse(bytes);
    const { facts, size } = checkpoint;
    const ageMs = clock.now() - facts.scannedSeconds * 1000;
    if (facts.program !== program || ageMs < 0 || ageMs >= maxAgeMs) {
      log.info('the checkpoint of reports is of another program or too old; everything is evaluated');
      return undefined;
    }
    log.info('results of unchanged objects are taken from the checkpoint', { objects: size });
    return new KeptResults(checkpoint, policies);
  } catch (thrown) {
    log.warn('the checkpoint of reports cannot be used; everything is evaluated', { error: errorMessage(thrown) });
    return undefined;
  }
}

/** Writes a checkpoint at intervals while nothing waits for evaluation, and when it stops. */
export async function writeCheckpoints(
  { path, program, clock, log }: CheckpointContext,
  takeFrom: (program: string) => Buffer | undefined,
  signal: AbortSignal,
): Promise<void> {
  const write = async (bytes: Buffer) => {
    try {
      await writeCheckpointFile(path, bytes);
    } catch (thrown) {
      log.warn('the checkpoint of reports was not written', { error: errorMessage(thrown) });
    }
  };
  // Called while a signal aborts, too, where nobody catches what is thrown.
  const take = (): Buffer | undefined => {
    try {
      return takeFrom(program);
    } catch (thrown) {
      log.warn('the checkpoint of reports was not written', { error: errorMessage(thrown) });
      return undefined;
    }
  };
  let last: Buffer | undefined;
  // Now, not in a later turn: evaluations that are interrupted would count as done then.
  const unlink = onAbort(signal, () => {
    last = take();
  });
  for (let dueMs = clock.monotonicMs() + firstMs; !signal.aborted; ) {
    await clock.sleep(pollMs, signal).catch(() => {});
    const bytes = signal.aborted || clock.monotonicMs() < dueMs ? undefined : take();
    if (!bytes) continue;
    await write(bytes);
    dueMs = clock.monotonicMs() + intervalMs;
  }
  unlink();
  if (last) await write(last);
}
