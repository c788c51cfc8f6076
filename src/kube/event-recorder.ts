import { randomBytes } from 'node:crypto';
import {
  backoffMs,
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  onAbort,
  retryOf,
  rfc3339,
  silentLogger,
  systemClock,
} from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { isKubeError } from './errors.ts';
import {
  type CorrelationLimits,
  type EventContent,
  EventCorrelator,
  type EventSeries,
  type EventSubject,
} from './event-correlation.ts';
import type { KubeClient, ResourceType } from './types.ts';

/** Records Kubernetes Events about objects. */
export interface EventRecorder {
  /** Queues and returns at once; never throws. Events that do not fit are dropped and counted. */
  record(subject: EventSubject, event: EventContent): void;
  /** How many were dropped: queue full, object over its limit, or refused by the server. */
  readonly dropped: number;
  /** Writes queued events until the signal aborts, and for a short time after, because the last events matter most. */
  run(signal: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: KubeClient;
  /** The event source: `kubectl describe` shows it in the column From. */
  readonly component: string;
  readonly instance?: string | undefined;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly maxQueued?: number;
  readonly attempts?: number;
  readonly limits?: CorrelationLimits;
  /** Makes names unique among replicas. */
  readonly uniqueSuffix?: () => string;
}

/**
 * core/v1, although events.k8s.io/v1 is newer: both are views of the same stored objects, but only here may a client
 * keep `count` and `lastTimestamp`, which `kubectl describe` and `kubectl get events` show.
 */
const eventType: ResourceType = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true };
const maxMessageChars = 1024;
const lastWritesMs = 2_000;
const logAgainMs = 60_000;
const maxLoggedKinds = 100;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, component, log = silentLogger, clock = systemClock, maxQueued = 1000, attempts = 5 } = options;
  const uniqueSuffix = options.uniqueSuffix ?? (() => randomBytes(8).toString('hex'));
  const correlator = new EventCorrelator(clock, options.limits);
  const queue: { readonly subject: EventSubject; readonly event: EventContent }[] = [];
  let dropped = 0;
  let wake = () => {};

  const write = async (subject: EventSubject, series: EventSeries, signal: AbortSignal): Promise<void> => {
    if (series.stored !== undefined) {
      try {
        const { content, count, lastAtMs } = series;
        const body = { count, lastTimestamp: rfc3339(lastAtMs), message: shorten(content.message) };
        await client.patch(eventType, series.stored, { type: 'merge', body }, { signal });
        return;
      } catch (thrown) {
        // Events expire after an hour; the series continues with a new one.
        if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      }
    }
    const event = renderEvent(subject, series, { component, instance: options.instance, suffix: uniqueSuffix() });
    await client.create(eventType, event, { signal });
    series.stored = { namespace: event.metadata.namespace ?? 'default', name: event.metadata.name ?? '' };
  };

  // One cause makes many events fail. It is logged once a minute, with the number of the others.
  const loggedAtMs = new Map<string, number>();
  let suppressed = 0;
  const logFailure = ({ subject, event: { reason } }: (typeof queue)[number], thrown: unknown): void => {
    const fields = { reason, namespace: subject.namespace, error: errorMessage(thrown) };
    if (isNamespaceGone(thrown))
      return void log.debug('dropping an event in a namespace that is being deleted', fields);
    const kind = `${reason} ${errorCode(thrown)}`;
    const nowMs = clock.monotonicMs();
    if (nowMs - (loggedAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < logAgainMs) {
      suppressed++;
      return;
    }
    if (loggedAtMs.size >= maxLoggedKinds) loggedAtMs.clear();
    loggedAtMs.set(kind, nowMs);
    log.warn('cannot write an event', { ...fields, ...(suppressed > 0 ? { others: suppressed } : {}) });
    suppressed = 0;
  };

  const writeNext = async (signal: AbortSignal): Promise<void> => {
    const next = queue.shift();
    if (next === undefined) return;
    const series = correlator.correlate(next.subject, next.event);
    if (series === undefined) {
      dropped++;
      return;
    }
    for (let attempt = 0; ; attempt++) {
      try {
        return await write(next.subject, series, signal);
      } catch (thrown) {
        if (signal.aborted || retryOf(thrown) === 'never' || attempt + 1 >= attempts) {
          dropped++;
          logFailure(next, thrown);
          return;
        }
        await clock.sleep(backoffMs(attempt, { baseMs: 500, maxMs: 10_000 }), signal).catch(() => {});
      }
    }
  };

  return {
    record(subject, event) {
      if (queue.length >= maxQueued) {
        dropped++;
        return;
      }
      queue.push({ subject, event });
      wake();
    },
    get dropped() {
      return dropped;
    },
    async run(signal) {
      const end = new AbortController();
      let cancelTimer = () => {};
      onAbort(signal, () => {
        cancelTimer = clock.after(lastWritesMs, () => end.abort());
        wake();
      });
      while (!end.signal.aborted) {
        if (queue.length > 0) await writeNext(end.signal);
        else if (signal.aborted) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      cancelTimer();
    },
  };
}

/** A namespace that is being deleted admits no new objects, and a deleted one is not found. */
function isNamespaceGone(thrown: unknown): boolean {
  if (!isKubeError(thrown)) return false;
  if (thrown.code === 'kube-not-found') return thrown.details?.kind === 'namespaces';
  return thrown.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function renderEvent(
  subject: EventSubject,
  series: EventSeries,
  source: { readonly component: string; readonly instance: string | undefined; readonly suffix: string },
): KubeObject {
  // An event about a cluster-wide object is kept in `default`, as kubectl expects.
  const namespace = subject.namespace || 'default';
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${subject.name.slice(0, 253 - source.suffix.length - 1)}.${source.suffix}` },
    involvedObject: { ...subject },
    reason: series.content.reason,
    message: shorten(series.content.message),
    type: series.content.type,
    source: { component: source.component, ...(source.instance ? { host: source.instance } : {}) },
    reportingComponent: source.component,
    reportingInstance: source.instance ?? '',
    firstTimestamp: rfc3339(series.firstAtMs),
    lastTimestamp: rfc3339(series.lastAtMs),
    count: series.count,
  };
}

function shorten(message: string): string {
  return message.length <= maxMessageChars ? message : `${message.slice(0, maxMessageChars - 1)}…`;
}
