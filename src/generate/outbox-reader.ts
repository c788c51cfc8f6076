import { ownerLabel } from '../api/index.ts';
import { backoffMs, type Clock, errorMessage, type Logger, onAbort } from '../base/index.ts';
import { createInformer, isKubeError, type KubeClient } from '../kube/index.ts';
import { type KubeObject, keyOf, renderApiVersion } from '../object/index.ts';
import { configMaps } from './checkpoint-store.ts';
import { objectAfter, readSubject } from './confirmation.ts';
import type { GenerateRecorder } from './generate-recorder.ts';
import { type OutboxEntry, parseOutbox, renderOutbox, wasPersisted } from './outbox.ts';
import { outboxLabel } from './outbox-writer.ts';
import type { PendingTrigger } from './pending.ts';

interface OutboxReaderOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly installation: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: GenerateRecorder;
  readonly trigger: (trigger: PendingTrigger) => void;
  /** Whether the request is one of our own writes, which trigger nothing. */
  readonly isOwnRequest: (request: OutboxEntry['request']) => boolean;
  /** The rules of a policy that may act on unauthenticated requests. */
  readonly confirmableOf: (policy: string) => ReadonlySet<string>;
  /**
   * Time within which an admitted write must be stored; after it, the request counts as refused by a later admission
   * step.
   */
  readonly persistMs?: number | undefined;
}

// The API server allows a request one minute, including all webhooks.
const defaultPersistMs = 90_000;
const persistBackoff = { baseMs: 100, maxMs: 5_000 };
const maxAttempts = 8;
/** An empty outbox that was not written for this long belongs to a replica that is gone. */
const abandonedMs = 3_600_000;

/** The leader's side of the outboxes: processes the collected requests after confirming that they were stored. */
export class OutboxReader {
  /** Entries already seen, with their outbox; dropped when the outbox no longer contains them. */
  private readonly seen = new Map<string, { readonly box: string; isDone: boolean }>();
  private readonly removals = new Map<string, { readonly ids: Set<string>; readonly written: Promise<void> }>();

  constructor(private readonly options: OutboxReaderOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    const { client, namespace, installation, log } = this.options;
    const labelSelector = `${ownerLabel}=${installation},${outboxLabel}=generate`;
    const informer = createInformer<KubeObject>({ client, type: configMaps, namespace, labelSelector, log });
    const work = new Set<Promise<void>>();
    const onOutbox = ({ object }: { readonly object: KubeObject | undefined }) => {
      if (!object) return;
      const entries = entriesOf(object);
      this.forget(
        keyOf(object),
        entries.map(({ id }) => id),
      );
      for (const entry of entries) {
        if (this.seen.has(entry.id)) continue;
        this.seen.set(entry.id, { box: keyOf(object), isDone: false });
        const one = this.process(object, entry, signal).finally(() => work.delete(one));
        work.add(one);
      }
      if (entries.length === 0) this.removeAbandoned(object, signal);
    };
    informer.addHandler({ onAdd: onOutbox, onUpdate: onOutbox });
    await informer.run(signal);
    await Promise.all(work);
  }

  private async process(box: KubeObject, entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.options;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const effect = await this.effectOf(entry, signal);
        if (effect && !this.options.isOwnRequest(entry.request)) await this.runPolicies(entry, effect.stored, signal);
        this.seen.get(entry.id)!.isDone = true;
        await this.removeEntry(keyOf(box), entry.id, signal);
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn('processing an outbox entry failed; retrying', { id: entry.id, error: errorMessage(thrown) });
        await clock.sleep(backoffMs(failures++, { baseMs: 500, maxMs: 60_000 }), signal).catch(() => {});
      }
    }
  }

  /** The object as stored after the request; undefined when the request was not carried out. */
  private async effectOf(
    { request, at }: OutboxEntry,
    signal: AbortSignal,
  ): Promise<{ readonly stored: KubeObject | undefined } | undefined> {
    const { client, clock, persistMs = defaultPersistMs } = this.options;
    for (let attempts = 0; ; attempts++) {
      const isStored = request.operation !== 'CONNECT' && request.name !== '';
      const stored = isStored ? await readSubject(client, request, signal) : undefined;
      if (wasPersisted(request, stored) === 'yes') return { stored };
      if (clock.now() - at > persistMs) return undefined;
      await clock.sleep(backoffMs(attempts, persistBackoff), signal);
    }
  }

  /** Runs every policy of the entry until it succeeds or the attempts are used up. */
  private async runPolicies(
    { policies, request }: OutboxEntry,
    stored: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { operation, oldObject, info, subresource, isTrusted } = request;
    const object = objectAfter(request, stored);
    const subject = object ?? oldObject;
    if (!subject) return;
    const type = { ...request.resource, kind: request.kind.kind, namespaced: request.namespace !== '' };
    const { namespace = '', name = request.name, uid = '' } = subject.metadata;
    const identity = { apiVersion: renderApiVersion(request.kind), kind: request.kind.kind, namespace, name, uid };
    const context = { operation, object, oldObject, info, subresource };
    await Promise.all(
      policies.map(async (policy) => {
        for (let attempt = 0; attempt < maxAttempts && !signal.aborted; attempt++) {
          const isDone = await new Promise<boolean>((resolve) => {
            const unlink = onAbort(signal, () => resolve(false));
            const end = (isDone: boolean) => {
              unlink();
              resolve(isDone);
            };
            const rules = isTrusted === true ? undefined : this.options.confirmableOf(policy);
            this.options.trigger({
              policy,
              type,
              identity,
              context,
              rules,
              done: () => end(true),
              onFailed: () => end(false),
            });
          });
          if (isDone) return;
          await this.options.clock.sleep(backoffMs(attempt, { baseMs: 500, maxMs: 60_000 }), signal);
        }
        signal.throwIfAborted();
        this.options.recorder.gaveUp('attempts', { policy, trigger: `${namespace}/${name}` });
      }),
    );
    signal.throwIfAborted();
  }

  private forget(box: string, shown: readonly string[]): void {
    const ids = new Set(shown);
    for (const [id, one] of this.seen) if (one.isDone && one.box === box && !ids.has(id)) this.seen.delete(id);
  }

  /** Removes the entry from its outbox. Entries that end at the same time are removed in one write. */
  private removeEntry(box: string, id: string, signal: AbortSignal): Promise<void> {
    const batch = this.removals.get(box);
    if (batch) {
      batch.ids.add(id);
      return batch.written;
    }
    const ids = new Set([id]);
    const written = (async () => {
      await this.options.clock.sleep(50, signal);
      this.removals.delete(box);
      await this.rewrite(box, ids, signal);
    })();
    this.removals.set(box, { ids, written });
    return written;
  }

  private async rewrite(box: string, ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.options;
    for (;;) {
      try {
        const name = box.slice(box.indexOf('/') + 1);
        const stored = await client.get<KubeObject>(configMaps, { namespace, name }, { signal });
        const left = entriesOf(stored).filter((entry) => !ids.has(entry.id));
        await client.replace(configMaps, { ...stored, data: { entries: renderOutbox(left) } }, { signal });
        return;
      } catch (thrown) {
        if (isKubeError(thrown, 'kube-not-found')) return;
        if (!isKubeError(thrown, 'kube-conflict')) throw thrown;
      }
    }
  }

  private removeAbandoned({ metadata }: KubeObject, signal: AbortSignal): void {
    const { client, clock, log } = this.options;
    const writtenMs = Math.max(
      ...(metadata.managedFields ?? []).map(({ time }) => Date.parse(time ?? '') || 0),
      Date.parse(metadata.creationTimestamp ?? '') || 0,
    );
    const { name = '', namespace, uid, resourceVersion } = metadata;
    if (clock.now() - writtenMs < abandonedMs || uid === undefined || resourceVersion === undefined) return;
    client
      .delete(configMaps, { name, namespace }, { signal, preconditions: { uid, resourceVersion } })
      .catch((thrown) => {
        if (!signal.aborted) log.debug('removing an abandoned outbox failed', { name, error: errorMessage(thrown) });
      });
  }
}

const entriesOf = (object: KubeObject): readonly OutboxEntry[] =>
  parseOutbox((object['data'] as Readonly<Record<string, string>> | undefined)?.['entries']);
