import { Counter, Histogram, type Registry } from 'prom-client';

/** The number of series does not depend on the number of detections and templates. */
export interface CreateMetrics {
  /** A detection reached a final phase, or an attempt failed. */
  settled(result: 'committed' | 'skipped' | 'failed'): void;
  pushed(result: 'success' | 'failure', seconds: number): void;
  committed(detections: number): void;
}

export function createCreateMetrics(registry: Registry): CreateMetrics {
  const registers = [registry];
  const detections = new Counter({
    name: 'supercargo_create_detections_total',
    help: 'Detections by result; a failing one counts at each attempt.',
    labelNames: ['result'],
    registers,
  });
  const pushes = new Histogram({
    name: 'supercargo_create_push_duration_seconds',
    help: 'Duration of the commit of a batch, by result.',
    labelNames: ['result'],
    buckets: [0.1, 0.5, 1, 2, 5, 15, 60],
    registers,
  });
  const sizes = new Histogram({
    name: 'supercargo_create_commit_detections',
    help: 'Detections in one commit.',
    buckets: [1, 2, 5, 10, 25, 50, 100],
    registers,
  });
  return {
    settled: (result) => detections.inc({ result }),
    pushed: (result, seconds) => pushes.observe({ result }, seconds),
    committed: (count) => sizes.observe(count),
  };
}
