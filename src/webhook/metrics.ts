import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type ReviewOutcome = 'allowed' | 'denied' | 'refused' | 'failed';

/** The number of series is bounded: paths are those of registered reviewers, and there are few outcomes. */
export interface WebhookMetrics {
  reviewed(path: string, outcome: ReviewOutcome, seconds: number): void;
  /** A connection that was closed before a review was read: TLS errors, plain HTTP, time-outs. */
  rejected(reason: string): void;
  rotated(): void;
  /** Whether the API server reaches the server; undefined where this replica does not find out. */
  reached(group: string, isReached: boolean | undefined): void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const reviews = new Counter({
    name: 'supercargo_admission_reviews_total',
    help: 'Admission reviews, by reviewer and outcome: refused reviews were malformed, failed reviews could not be evaluated.',
    labelNames: ['path', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'supercargo_admission_review_duration_seconds',
    help: 'Time from the last byte of a review to its response.',
    labelNames: ['path'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10, 30],
    registers: [registry],
    collect: () => {
      for (const timer of timers.values()) timer.flush();
    },
  });
  const rejections = new Counter({
    name: 'supercargo_admission_connections_rejected_total',
    help: 'Connections rejected before a review was read, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const rotations = new Counter({
    name: 'supercargo_admission_certificate_changes_total',
    help: 'Changes of the serving certificate.',
    registers: [registry],
  });
  const reachable = new Gauge({
    name: 'supercargo_admission_webhook_reachable',
    help: 'Whether the API server reaches the webhooks of this leader: 1 if the last probe came back, else 0.',
    labelNames: ['group'],
    registers: [registry],
  });
  // Cache the labelled counters: otherwise labels are hashed at every call.
  const known = new Map<string, { inc(): void }>();
  const timers = new Map<string, Durations>();
  return {
    reviewed(path, outcome, seconds) {
      const key = `${path} ${outcome}`;
      let counter = known.get(key);
      if (!counter) known.set(key, (counter = reviews.labels(path, outcome)));
      counter.inc();
      let timer = timers.get(path);
      if (!timer) timers.set(path, (timer = new Durations(durations.labels(path))));
      timer.add(seconds);
    },
    rejected: (reason) => rejections.inc({ reason }),
    rotated: () => rotations.inc(),
    reached(group, isReached) {
      if (isReached === undefined) reachable.remove(group);
      else reachable.set({ group }, isReached ? 1 : 0);
    },
  };
}

const maxWaiting = 256;

/** Observes many durations at once: a histogram checks and hashes labels for each, in memory that a review does not use. */
class Durations {
  private readonly waiting: number[] = [];

  constructor(private readonly histogram: { observe(seconds: number): void }) {}

  add(seconds: number): void {
    if (this.waiting.push(seconds) === maxWaiting) this.flush();
  }

  flush(): void {
    for (const seconds of this.waiting) this.histogram.observe(seconds);
    this.waiting.length = 0;
  }
}
