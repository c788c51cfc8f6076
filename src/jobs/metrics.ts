import { Counter, Gauge, type Registry } from 'prom-client';

export interface JobMetrics {
  /** `type` is a configured type. Any other is counted as `unknown`, because Insights chooses the text. */
  finished(type: string, status: 'completed' | 'failed'): void;
  unreported(): void;
  claimFailed(): void;
  /** How many jobs run and how many wait now. */
  observe(running: number, waiting: number): void;
}

export function createJobMetrics(registry: Registry): JobMetrics {
  const registers = [registry];
  const finished = new Counter({
    name: 'supercargo_jobs_finished_total',
    help: 'On-demand jobs that ended, by type and status.',
    labelNames: ['type', 'status'],
    registers,
  });
  const unreported = new Counter({
    name: 'supercargo_jobs_unreported_total',
    help: 'Outcomes of on-demand jobs that could not be reported to Insights yet.',
    registers,
  });
  const claimFailures = new Counter({
    name: 'supercargo_jobs_claim_failures_total',
    help: 'Claims of on-demand jobs that failed.',
    registers,
  });
  const open = new Gauge({
    name: 'supercargo_jobs_open',
    help: 'On-demand jobs that were claimed and have not ended, by state.',
    labelNames: ['state'],
    registers,
  });
  return {
    finished: (type, status) => finished.inc({ type, status }),
    unreported: () => unreported.inc(),
    claimFailed: () => claimFailures.inc(),
    observe(running, waiting) {
      open.set({ state: 'running' }, running);
      open.set({ state: 'waiting' }, waiting);
    },
  };
}
