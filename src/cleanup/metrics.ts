import { Counter, Histogram, type Registry } from 'prom-client';

type RunResult = 'success' | 'failure';

/** What runs did. */
export interface CleanupMetrics {
  ran(result: RunResult, seconds: number): void;
  deleted(policy: string, resource: string): void;
  failed(policy: string, resource: string): void;
}

export function createCleanupMetrics(registry: Registry): CleanupMetrics {
  const registers = [registry];
  const runs = new Histogram({
    name: 'supercargo_cleanup_run_duration_seconds',
    help: 'Duration of runs of deleting policies, by result.',
    labelNames: ['result'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900],
    registers,
  });
  const deleted = new Counter({
    name: 'supercargo_cleanup_deleted_objects_total',
    help: 'Objects deleted by deleting policies.',
    labelNames: ['policy', 'resource'],
    registers,
  });
  const failures = new Counter({
    name: 'supercargo_cleanup_failures_total',
    help: 'Objects that could not be judged or deleted, and kinds that could not be listed.',
    labelNames: ['policy', 'resource'],
    registers,
  });
  return {
    ran: (result, seconds) => runs.observe({ result }, seconds),
    deleted: (policy, resource) => deleted.inc({ policy, resource }),
    failed: (policy, resource) => failures.inc({ policy, resource }),
  };
}
