import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import { createInformer, isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { AdmittedResults } from './admission-results.ts';
import { waitFor } from './loop.ts';
import { outboxLabel, outboxType, parseOutbox } from './outbox.ts';

interface OutboxReaderOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly namespace: string;
  readonly take: (entry: AdmittedResults) => void;
  /** Whether results of an object that were taken may still get into reports. */
  readonly isWaitingFor: (uid: string) => boolean;
  /** The oldest change that is not written yet; undefined if there is none. */
  readonly oldestChangeMs: () => number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

interface TakenOutbox {
  readonly object: KubeObject;
  readonly uids: readonly string[];
  readonly atMs: number;
  /** When none of its results waited any more. */
  settledMs?: number;
}

const pollMs = 200;
const maxWaitMs = 60_000;

/** Takes the results of other replicas. An outbox is deleted when its results are in reports, or after a timeout. */
export async function readOutboxes(options: OutboxReaderOptions, signal: AbortSignal): Promise<void> {
  const { client, installation, namespace, take, clock, log } = options;
  const taken = new Map<string, TakenOutbox>();
  let wake: () => void = () => {};
  const informer = createInformer<KubeObject>({
    client,
    type: outboxType,
    namespace,
    labelSelector: `${ownerLabel}=${installation},${outboxLabel}=true`,
    log,
  });
  const onObject = ({ key, stored }: { readonly key: string; readonly stored: KubeObject }) => {
    const entries = parseOutbox(stored);
    for (const entry of entries) take(entry);
    taken.set(key, { object: stored, uids: entries.map(({ uid }) => uid), atMs: clock.monotonicMs() });
    wake();
  };
  informer.addHandler({ onAdd: onObject, onUpdate: onObject, onDelete: ({ key }) => taken.delete(key) });
  const running = informer.run(signal);
  while (!signal.aborted) {
    if (taken.size === 0)
      await waitFor(signal, (go) => {
        wake = go;
      });
    await clock.sleep(pollMs, signal).catch(() => {});
    for (const [key, outbox] of [...taken]) {
      if (signal.aborted || !isDone(outbox, options)) continue;
      try {
        await remove(client, outbox.object, signal);
        // The watch may have told of new entries meanwhile.
        if (taken.get(key) === outbox) taken.delete(key);
      } catch (thrown) {
        if (!signal.aborted)
          log.debug('removing an outbox failed; retrying', { outbox: key, error: errorMessage(thrown) });
      }
    }
  }
  await running;
}

/** Each outbox for itself: under load, there is always some result that waits and some report that is not written. */
function isDone(outbox: TakenOutbox, { isWaitingFor, oldestChangeMs, clock }: OutboxReaderOptions): boolean {
  const nowMs = clock.monotonicMs();
  if (nowMs - outbox.atMs >= maxWaitMs) return true;
  if (outbox.settledMs === undefined && !outbox.uids.some(isWaitingFor)) outbox.settledMs = nowMs;
  return outbox.settledMs !== undefined && (oldestChangeMs() ?? Number.POSITIVE_INFINITY) > outbox.settledMs;
}

/** A conflict means that the outbox has new entries; the watch will deliver them. */
async function remove(client: KubeClient, { metadata }: KubeObject, signal: AbortSignal): Promise<void> {
  const { name = '', namespace, uid = '', resourceVersion = '' } = metadata;
  try {
    await client.delete(outboxType, { name, namespace }, { preconditions: { uid, resourceVersion }, signal });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-conflict') && !isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
}
