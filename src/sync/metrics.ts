import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { SyncResult } from './result.ts';

export interface SyncMetrics {
  finished(result: SyncResult, nowMs: number): void;
  /** A run that did not start: another sync holds the lock, or the lock cannot be acquired. */
  notRun(reason: 'locked' | 'error'): void;
}

export function createSyncMetrics(registry: Registry): SyncMetrics {
  const registers = [registry];
  const durations = new Histogram({
    name: 'supercargo_sync_duration_seconds',
    help: 'Duration of policy syncs, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.5, 1, 5, 15, 60, 300],
    registers,
  });
  const skipped = new Counter({
    name: 'supercargo_sync_not_run_total',
    help: 'Policy syncs that did not start, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const policies = new Counter({
    name: 'supercargo_sync_policies_total',
    help: 'Policies by sync operation; dry runs are not counted.',
    labelNames: ['result'],
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'supercargo_sync_last_success_timestamp_seconds',
    help: 'Time of the last successful policy sync.',
    registers,
  });
  return {
    finished(result, nowMs) {
      durations.observe({ outcome: result.outcome }, result.durationMs / 1000);
      if (result.isDryRun) return;
      for (const name of ['applied', 'updated', 'removed', 'failed', 'rolledBack'] as const)
        policies.inc({ result: name === 'rolledBack' ? 'rolled_back' : name }, result[name].length);
      if (result.outcome === 'succeeded') lastSuccess.set(nowMs / 1000);
    },
    notRun: (reason) => skipped.inc({ reason }),
  };
}
