import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';

export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** A part of the object: `spec.containers{app}`. */
  readonly fieldPath?: string | undefined;
}

export function eventSubjectOf({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}

export interface EventContent {
  readonly type: 'Normal' | 'Warning';
  /** One CamelCase word for machines. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** One Event object that counts equal events. */
export interface EventSeries {
  readonly content: EventContent;
  readonly firstAtMs: number;
  lastAtMs: number;
  count: number;
  /** Its key in the cluster after the first write. */
  stored?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface CorrelationLimits {
  /** Events about one object before the bucket is empty. */
  readonly burst: number;
  readonly refillEveryMs: number;
  /** After this many different messages of one reason within the interval, they are combined. */
  readonly maxSimilar: number;
  readonly similarIntervalMs: number;
  readonly maxTracked: number;
}

// The values of client-go, which operators know.
export const defaultCorrelationLimits: CorrelationLimits = {
  burst: 25,
  refillEveryMs: 300_000,
  maxSimilar: 10,
  similarIntervalMs: 600_000,
  maxTracked: 4096,
};

/**
 * Decides what happens to an event: a new Event object, a higher count on an existing one, or a drop. Three rules:
 * equal events are counted; many that differ only in their message become one; events of an object with too many are
 * dropped.
 */
export class EventCorrelator {
  private readonly buckets: LRUCache<string, { tokens: number; atMs: number }>;
  private readonly similar: LRUCache<string, { messages: Set<string>; atMs: number }>;
  private readonly series: LRUCache<string, EventSeries>;

  constructor(
    private readonly clock: Clock,
    private readonly limits: CorrelationLimits = defaultCorrelationLimits,
  ) {
    const max = limits.maxTracked;
    this.buckets = new LRUCache({ max });
    this.similar = new LRUCache({ max });
    this.series = new LRUCache({ max });
  }

  /** The series to write with its new count, or undefined when the event is dropped. */
  correlate(subject: EventSubject, event: EventContent): EventSeries | undefined {
    const nowMs = this.clock.now();
    const object = [subject.apiVersion, subject.kind, subject.namespace ?? '', subject.name, subject.uid ?? ''];
    const isAllowed = this.takeToken(JSON.stringify([...object, event.type]), nowMs);
    const kindOfEvent = [...object, subject.fieldPath ?? '', event.type, event.reason];
    const isCombined = this.isTooSimilar(JSON.stringify(kindOfEvent), event.message, nowMs);
    const message = isCombined ? `(combined from similar events): ${event.message}` : event.message;
    const key = JSON.stringify(isCombined ? kindOfEvent : [...kindOfEvent, event.message]);
    const known = this.series.get(key);
    const series: EventSeries = {
      content: { ...event, message },
      firstAtMs: known?.firstAtMs ?? nowMs,
      lastAtMs: nowMs,
      count: (known?.count ?? 0) + 1,
      stored: known?.stored,
    };
    this.series.set(key, series);
    // Counted although it is dropped: the next write has the right count.
    return isAllowed ? series : undefined;
  }

  private takeToken(key: string, nowMs: number): boolean {
    const { burst, refillEveryMs } = this.limits;
    const bucket = this.buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillEveryMs);
    const isAllowed = tokens >= 1;
    this.buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    return isAllowed;
  }

  private isTooSimilar(key: string, message: string, nowMs: number): boolean {
    const { maxSimilar, similarIntervalMs } = this.limits;
    let record = this.similar.get(key);
    if (record === undefined || nowMs - record.atMs > similarIntervalMs) record = { messages: new Set(), atMs: nowMs };
    record.atMs = nowMs;
    // Beyond the limit the texts no longer matter.
    if (record.messages.size < maxSimilar) record.messages.add(message);
    this.similar.set(key, record);
    return record.messages.size >= maxSimilar;
  }
}
