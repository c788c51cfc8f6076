import { Counter, Histogram, type Registry } from 'prom-client';

export type ReviewOutcome = 'allowed' | 'denied' | 'refused' | 'failed';

/** Paths are those of registered reviewers, outcomes are few: the number of series is bounded. */
export interface WebhookMetrics {
  reviewed(path: string, outcome: ReviewOutcome, seconds: number): void;
  /** What never became a review: TLS errors, plain HTTP, time-outs. */
  rejected(reason: string): void;
  rotated(): void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const reviews = new Counter({
    name: 'supercargo_admission_reviews_total',
    help: 'Admission reviews answered, by reviewer and outcome; refused ones were malformed, failed ones could not be judged.',
    labelNames: ['path', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'supercargo_admission_review_duration_seconds',
    help: 'From the last byte of a review to the answer.',
    labelNames: ['path'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10, 30],
    registers: [registry],
  });
  const rejections = new Counter({
    name: 'supercargo_admission_connections_rejected_total',
    help: 'Connections that never became a review.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const rotations = new Counter({
    name: 'supercargo_admission_certificate_changes_total',
    help: 'How often the serving certificate was swapped.',
    registers: [registry],
  });
  // Looked up once per pair: labels are hashed at every call otherwise.
  const known = new Map<string, { inc(): void }>();
  const timers = new Map<string, { observe(seconds: number): void }>();
  return {
    reviewed(path, outcome, seconds) {
      const key = `${path} ${outcome}`;
      let counter = known.get(key);
      if (!counter) known.set(key, (counter = reviews.labels(path, outcome)));
      counter.inc();
      let timer = timers.get(path);
      if (!timer) timers.set(path, (timer = durations.labels(path)));
      timer.observe(seconds);
    },
    rejected: (reason) => rejections.inc({ reason }),
    rotated: () => rotations.inc(),
  };
}
