import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, isJsonObject, type Logger } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { waitFor } from './loop.ts';
import { outboxType } from './outbox.ts';
import type { ReportForm } from './report-writer.ts';
import { hashText } from './text-hash.ts';

interface AdmissionFormsOptions {
  readonly client: KubeClient;
  readonly installation: string;
  /** Our own, in which nobody else may write. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const recordLabel = 'supercargo.dev/report-record';
/** Each far below the limit of a ConfigMap: a hundred bytes for each report with results of admission. */
const shards = 16;
const maxEntries = 6_000;
const flushMs = 1_000;
const retryMs = 5_000;
const lastMs = 1_500;

/**
 * The forms of reports whose results of admission we wrote, in ConfigMaps of our own namespace. A new leader takes such
 * results over from reports in these forms alone: tenants may write reports, and nothing in a report tells who wrote it.
 */
export class AdmissionForms {
  private readonly forms = Array.from({ length: shards }, () => new Map<string, ReportForm>());
  private readonly changed = new Set<number>();
  private wake: () => void = () => {};

  constructor(private readonly options: AdmissionFormsOptions) {}

  /** What the last leader left. */
  async load(signal: AbortSignal): Promise<ReadonlyMap<string, ReportForm>> {
    const { client, installation, namespace } = this.options;
    const labelSelector = `${ownerLabel}=${installation},${recordLabel}=true`;
    const { items } = await client.list<KubeObject>(outboxType, { namespace, labelSelector, signal });
    const loaded = new Map(items.flatMap(parseForms));
    for (const [key, form] of loaded) this.forms[shardOf(key)]!.set(key, form);
    return loaded;
  }

  /** Undefined for a report without results of admission. */
  note(key: string, form: ReportForm | undefined): void {
    const shard = shardOf(key);
    const forms = this.forms[shard]!;
    const before = forms.get(key);
    if (before?.uid === form?.uid && before?.generation === form?.generation) return;
    if (form === undefined) forms.delete(key);
    else if (before || forms.size < maxEntries) forms.set(key, form);
    this.changed.add(shard);
    this.wake();
  }

  /** Writes changes until the signal aborts, then once more. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.options;
    while (!signal.aborted) {
      if (this.changed.size === 0)
        await waitFor(signal, (go) => {
          this.wake = go;
        });
      await clock.sleep(flushMs, signal).catch(() => {});
      if (signal.aborted) break;
      try {
        await this.flush(signal);
      } catch (thrown) {
        if (signal.aborted) break;
        log.warn('writing the record of reports failed; retrying', { error: errorMessage(thrown) });
        await clock.sleep(retryMs, signal).catch(() => {});
      }
    }
    await this.flush(AbortSignal.timeout(lastMs)).catch((thrown) =>
      log.warn('the record of reports was not written: some results of admission will be missing', {
        error: errorMessage(thrown),
      }),
    );
  }

  private async flush(signal: AbortSignal): Promise<void> {
    for (const shard of [...this.changed]) {
      this.changed.delete(shard);
      try {
        await this.write(shard, signal);
      } catch (thrown) {
        this.changed.add(shard);
        throw thrown;
      }
    }
  }

  /** Without a precondition: only the leader writes it, and knows all of it. */
  private async write(shard: number, signal: AbortSignal): Promise<void> {
    const { client, installation, namespace } = this.options;
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `${installation}-report-record-${shard}`,
        namespace,
        labels: { [ownerLabel]: installation, [recordLabel]: 'true' },
      },
      data: {
        forms: JSON.stringify([...this.forms[shard]!].map(([key, { uid, generation }]) => [key, uid, generation])),
      },
    };
    try {
      await client.replace(outboxType, object, { metadataOnly: true, signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      await client.create(outboxType, object, { metadataOnly: true, signal });
    }
  }
}

const shardOf = (key: string) => (hashText(key).a >>> 0) % shards;

function parseForms(object: KubeObject): readonly (readonly [string, ReportForm])[] {
  const data: unknown = object['data'];
  try {
    const forms: unknown = JSON.parse(isJsonObject(data) ? String(data['forms']) : '[]');
    if (!Array.isArray(forms)) return [];
    return forms.filter(isForm).map(([key, uid, generation]) => [key, { uid, generation }] as const);
  } catch {
    return [];
  }
}

const isForm = (value: unknown): value is readonly [string, string, number] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string' && typeof value[2] === 'number';
