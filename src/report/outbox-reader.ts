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
  /** True when all results taken are in reports. */
  readonly isWritten: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const pollMs = 200;
const maxWaitMs = 60_000;

/** Takes the results of other replicas. An outbox is deleted when its results are in reports, or after a timeout. */
export async function readOutboxes(options: OutboxReaderOptions, signal: AbortSignal): Promise<void> {
  const { client, installation, namespace, take, isWritten, clock, log } = options;
  const taken = new Map<string, { readonly object: KubeObject; readonly atMs: number }>();
  let wake: () => void = () => {};
  const informer = createInformer<KubeObject>({
    client,
    type: outboxType,
    namespace,
    labelSelector: `${ownerLabel}=${installation},${outboxLabel}=true`,
    log,
  });
  const onObject = ({ key, stored }: { readonly key: string; readonly stored: KubeObject }) => {
    for (const entry of parseOutbox(stored)) take(entry);
    taken.set(key, { object: stored, atMs: clock.monotonicMs() });
    wake();
  };
  informer.addHandler({ onAdd: onObject, onUpdate: onObject, onDelete: ({ key }) => taken.delete(key) });
  const running = informer.run(signal);
  while (!signal.aborted) {
    if (taken.size === 0)
      await waitFor(signal, (go) => {
        wake = go;
      });
    // Wait before checking: the watch may not have shown the objects of the results yet.
    await clock.sleep(pollMs, signal).catch(() => {});
    for (const [key, { object, atMs }] of [...taken]) {
      if (signal.aborted || (!isWritten() && clock.monotonicMs() - atMs < maxWaitMs)) continue;
      taken.delete(key);
      await remove(client, object, signal).catch((thrown) => {
        if (!signal.aborted)
          log.debug('removing an outbox failed; retrying', { outbox: key, error: errorMessage(thrown) });
      });
    }
  }
  await running;
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
