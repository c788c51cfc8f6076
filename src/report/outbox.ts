import { createHash } from 'node:crypto';
import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type AdmissionRecord, type AdmittedResults, admittedResults } from './admission-results.ts';
import { waitFor } from './loop.ts';
import type { IsExcluded } from './scope.ts';

export const outboxType: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
export const outboxLabel = 'supercargo.dev/report-outbox';

interface OutboxOptions {
  readonly client: KubeClient;
  readonly installation: string;
  /** Our own namespace. */
  readonly namespace: string;
  /** Identity of this process. */
  readonly identity: string;
  readonly isExcluded?: IsExcluded;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Admission results of a replica that does not lead, on their way to the leader. */
interface ReportOutbox {
  put(record: AdmissionRecord): void;
  /** Flushes until the signal aborts, then once more. */
  run(signal: AbortSignal): Promise<void>;
}

const flushMs = 300;
const retryMs = 2_000;
const maxBytes = 512 * 1024;
const maxEntries = 2_000;

/** One bounded object per replica, never one per request. When it is full, the newest results are kept. */
export function createReportOutbox(options: OutboxOptions): ReportOutbox {
  const { client, installation, namespace, identity, isExcluded = () => false, clock, log } = options;
  const name = `${installation}-report-outbox-${createHash('sha256').update(identity).digest('hex').slice(0, 10)}`;
  const waiting = new Map<string, AdmittedResults>();
  let wake: () => void = () => {};

  const flush = async (signal?: AbortSignal): Promise<void> => {
    if (waiting.size === 0) return;
    const taken = [...waiting.values()];
    const present = await client.get<KubeObject>(outboxType, { name, namespace }, { signal }).catch((thrown) => {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    });
    const entries = bounded([...(present ? parseOutbox(present) : []), ...taken]);
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace,
        labels: { [ownerLabel]: installation, [outboxLabel]: 'true' },
        ...(present?.metadata.resourceVersion ? { resourceVersion: present.metadata.resourceVersion } : {}),
      },
      data: { entries: JSON.stringify(entries) },
    };
    if (present) await client.replace(outboxType, object, { signal });
    else await client.create(outboxType, object, { signal });
    for (const entry of taken) if (waiting.get(entry.uid) === entry) waiting.delete(entry.uid);
  };

  return {
    put(record) {
      const admitted = admittedResults(record, isExcluded);
      if (!admitted) return;
      waiting.delete(admitted.uid);
      waiting.set(admitted.uid, admitted);
      for (const uid of waiting.keys()) {
        if (waiting.size <= maxEntries) break;
        waiting.delete(uid);
      }
      wake();
    },
    async run(signal) {
      while (!signal.aborted) {
        if (waiting.size === 0)
          await waitFor(signal, (go) => {
            wake = go;
          });
        await clock.sleep(flushMs, signal).catch(() => {});
        if (signal.aborted) break;
        try {
          await flush(signal);
        } catch (thrown) {
          if (signal.aborted) break;
          // The leader may have deleted it at this moment.
          if (!isKubeError(thrown, 'kube-conflict'))
            log.warn('writing admission results to the outbox failed; retrying', {
              error: errorMessage(thrown),
            });
          await clock.sleep(isKubeError(thrown, 'kube-conflict') ? 0 : retryMs, signal).catch(() => {});
        }
      }
      await flush().catch((thrown) => log.warn('admission results lost', { error: errorMessage(thrown) }));
    },
  };
}

/** Drops invalid entries: the object is ours, but others can write to it. */
export function parseOutbox(object: KubeObject): readonly AdmittedResults[] {
  try {
    const entries: unknown = JSON.parse((object['data'] as { readonly entries?: string } | undefined)?.entries ?? '[]');
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is AdmittedResults {
  const { uid, body, replaces = '', contents } = (value ?? {}) as Partial<AdmittedResults>;
  return (
    typeof uid === 'string' &&
    typeof replaces === 'string' &&
    typeof body?.a === 'number' &&
    Array.isArray(contents) &&
    contents.every((one) => typeof one?.head?.policy === 'string' && typeof one.message === 'string')
  );
}

/** The latest entry of each object, and as many of the newest as fit. */
function bounded(entries: readonly AdmittedResults[]): readonly AdmittedResults[] {
  const kept: AdmittedResults[] = [];
  let bytes = 0;
  for (const entry of [...new Map(entries.map((one) => [one.uid, one])).values()].reverse()) {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (bytes > maxBytes) break;
    kept.unshift(entry);
  }
  return kept;
}
