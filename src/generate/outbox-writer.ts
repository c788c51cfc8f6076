import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger, onAbort } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { configMaps } from './checkpoint-store.ts';
import { confirmedBefore } from './confirmation.ts';
import type { GenerateRecorder } from './generate-recorder.ts';
import { type AdmittedRequest, Outbox, type OutboxEntry, outboxEntryOf, parseOutbox, renderOutbox } from './outbox.ts';
import type { RuleTable } from './rule-table.ts';

export const outboxLabel = 'supercargo.dev/outbox';

interface OutboxWriterOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly installation: string;
  /** The replica's name, the same after a restart. */
  readonly replica: string;
  readonly table: () => RuleTable;
  readonly policies: LivePolicies;
  readonly recorder: GenerateRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly flushMs?: number;
}

/**
 * Writes requests for admission-bound rules into one object per replica, batched every 200 ms. The leader removes the
 * entries that it has processed.
 */
export class OutboxWriter {
  private readonly waiting = new Outbox();
  private wake: () => void = () => {};

  constructor(private readonly options: OutboxWriterOptions) {}

  async collect(claimed: AdmittedRequest, signal: AbortSignal): Promise<void> {
    if (claimed.dryRun || this.matchingPolicies(claimed).length === 0) return;
    const { client, clock, recorder, policies, log } = this.options;
    const request = claimed.isTrusted ? claimed : await confirmedBefore(client, claimed, signal);
    const keys = request ? this.matchingPolicies(request) : [];
    if (!request || keys.length === 0) {
      const { operation, namespace, name } = claimed;
      log.debug('review ignored: not confirmed by the API server', { operation, namespace, name });
      return;
    }
    const entry = outboxEntryOf(request, keys, clock.now());
    if (this.waiting.add(entry)) {
      this.wake();
      return;
    }
    recorder.gaveUp('outbox', { policies: keys, object: `${request.namespace}/${request.name}` });
    const message = 'the outbox is full: requests arrive faster than they are processed, and some were lost';
    for (const key of keys)
      recorder.failed(key, policies.get(key)?.object, {
        reason: 'TriggersLost',
        message,
      });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, flushMs = 200, log } = this.options;
    const unlink = onAbort(signal, () => this.wake());
    while (!signal.aborted) {
      if (this.waiting.size === 0) await new Promise<void>((resolve) => (this.wake = resolve));
      await clock.sleep(flushMs, signal).catch(() => {});
      if (this.waiting.size === 0) continue;
      // A stopping replica still writes what is left.
      const callSignal = signal.aborted ? AbortSignal.timeout(2_000) : signal;
      await this.flush(callSignal).catch(async (thrown) => {
        log.warn('writing the outbox failed; retrying', { error: errorMessage(thrown) });
        await clock.sleep(1_000, signal).catch(() => {});
      });
    }
    unlink();
  }

  private matchingPolicies({ policyNamespace, isTrusted, ...given }: AdmittedRequest): readonly string[] {
    const { kind, subresource } = given;
    const request = { ...given, now: this.options.clock.now() };
    return [...this.options.table().policies.values()]
      .filter(
        ({ program, bound, confirmable }) =>
          program.namespace === (policyNamespace ?? '') &&
          (isTrusted ? bound : confirmable).some(
            (rule) => rule.mayMatchKind(kind, subresource) && rule.mismatchReason(request) === undefined,
          ),
      )
      .map(({ program }) => program.key);
  }

  private async flush(signal: AbortSignal): Promise<void> {
    const { client, namespace, installation, replica } = this.options;
    const key = { namespace, name: `${installation}-outbox-${replica}` };
    for (let attempt = 0; attempt < 5; attempt++) {
      const stored = await this.read(key, signal);
      const { box, taken } = this.mergeWith(stored);
      if (taken.length === 0) return;
      const metadata = { ...key, labels: { [ownerLabel]: installation, [outboxLabel]: 'generate' } };
      const data = { entries: renderOutbox(box.list()) };
      try {
        if (stored) await client.replace(configMaps, { ...stored, data }, { signal });
        else await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { signal });
        for (const { id } of taken) this.waiting.remove(id);
        return;
      } catch (thrown) {
        const isRace = ['kube-conflict', 'kube-already-exists', 'kube-not-found'] as const;
        if (!isRace.some((code) => isKubeError(thrown, code))) throw thrown;
      }
    }
  }

  /** The stored entries and as many waiting ones as fit. The rest waits until the leader removes some. */
  private mergeWith(stored: KubeObject | undefined): { readonly box: Outbox; readonly taken: readonly OutboxEntry[] } {
    const box = new Outbox();
    for (const entry of parseOutbox((stored?.['data'] as Record<string, string> | undefined)?.['entries']))
      box.add(entry);
    const taken = this.waiting.list().filter((entry) => box.add(entry));
    return { box, taken };
  }

  private async read(
    key: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      return await this.options.client.get<KubeObject>(configMaps, key, { signal });
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }
  }
}
