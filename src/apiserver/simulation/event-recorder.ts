import { type Clock, errorMessage, type Logger, rfc3339 } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { InternalClient } from '../internal-client.ts';
import { coreEvents } from './kinds.ts';
import { createWorkQueue } from './work-queue.ts';
import { removeObject } from './writes.ts';

export interface EventNote {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The reporting component: `deployment-controller`, `kubelet`. */
  readonly component: string;
  readonly host?: string;
  /** A part of the object: `spec.containers{app}`. */
  readonly fieldPath?: string;
}

/** Records the events that `kubectl describe` shows. */
export interface EventRecorder {
  /** Returns at once. A repeated event about the same object increases its count instead of creating another. */
  record(about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>, note: EventNote): void;
  run(signal: AbortSignal): Promise<void>;
}

interface EventRecorderOptions {
  readonly client: InternalClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly isEnabled: boolean;
  readonly ttlMs: number;
  readonly gcIntervalMs: number;
}

// A token bucket, as in the real recorder: the events of a thousand pods created at once add no information. Events
// beyond the budget are dropped.
const burst = 500;
const refillPerSecond = 50;
const rememberedNotes = 4096;

interface Pending {
  readonly about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;
  readonly note: EventNote;
  readonly name: string;
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

const sweepKey = ' sweep';

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock, log } = options;
  const known = new Map<string, Pending>();
  let tokens = burst;
  let refilledMs = clock.monotonicMs();
  let sequence = 0;

  const affordable = (): boolean => {
    const now = clock.monotonicMs();
    tokens = Math.min(burst, tokens + ((now - refilledMs) / 1000) * refillPerSecond);
    refilledMs = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };

  const work = async (key: string): Promise<number | undefined> => {
    if (key === sweepKey) {
      await sweep(client, clock.now() - options.ttlMs);
      return options.gcIntervalMs;
    }
    const pending = known.get(key);
    if (!pending) return undefined;
    await write(client, pending).catch((thrown) => {
      // The namespace may be terminating: an event is not retried.
      known.delete(key);
      log.debug('event not written', { event: pending.name, error: errorMessage(thrown) });
    });
    return undefined;
  };

  const queue = createWorkQueue({
    clock,
    concurrency: 2,
    work,
    onError: (key, thrown) => log.warn('event work failed', { key, error: errorMessage(thrown) }),
  });

  return {
    record(about, note) {
      if (!options.isEnabled) return;
      const key = [about.metadata.uid, note.reason, note.fieldPath ?? '', note.message].join('\u0000');
      const now = clock.now();
      const before = known.get(key);
      if (!affordable()) return;
      if (before) {
        before.count++;
        before.lastMs = now;
      } else {
        // Names of real events: the object's name and a unique hexadecimal number.
        const unique = (BigInt(Math.trunc(now)) * 1_000_000n + BigInt(sequence++ % 1_000_000)).toString(16);
        const name = `${about.metadata.name}.${unique}`;
        known.set(key, { about, note, name, firstMs: now, lastMs: now, count: 1 });
        if (known.size > rememberedNotes) known.delete(known.keys().next().value as string);
      }
      queue.add(key);
    },
    run(signal) {
      queue.addAfter(sweepKey, options.gcIntervalMs);
      return queue.run(signal);
    },
  };
}

async function write(client: InternalClient, pending: Pending): Promise<void> {
  const event = renderEvent(pending);
  const namespace = event.metadata.namespace ?? '';
  const current = pending.count > 1 ? client.get(coreEvents, namespace, pending.name) : undefined;
  if (!current) return void (await client.create(coreEvents, event));
  await client.update(coreEvents, { ...event, metadata: current.metadata });
}

function renderEvent({ about, note, name, firstMs, lastMs, count }: Pending): KubeObject {
  const { metadata } = about;
  const namespace = metadata.namespace || 'default';
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: metadata.name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      ...(note.fieldPath ? { fieldPath: note.fieldPath } : {}),
    },
    reason: note.reason,
    message: note.message,
    source: { component: note.component, ...(note.host ? { host: note.host } : {}) },
    firstTimestamp: rfc3339(firstMs),
    lastTimestamp: rfc3339(lastMs),
    count,
    type: note.type ?? 'Normal',
    eventTime: null,
    reportingComponent: note.component,
    reportingInstance: note.host ?? '',
  };
}

async function sweep(client: InternalClient, beforeMs: number): Promise<void> {
  for (const event of client.list(coreEvents)) {
    const last = (event['lastTimestamp'] ?? event['eventTime'] ?? event.metadata.creationTimestamp) as
      | string
      | undefined;
    if (!last || Date.parse(last) >= beforeMs) continue;
    await removeObject({ client }, coreEvents, event);
  }
}
