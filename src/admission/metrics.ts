import { Counter, Gauge, type Registry } from 'prom-client';
import type { RuleResult, RuleStatus } from '../policy/index.ts';
import type { AuditQueue } from './audit-queue.ts';

export interface AdmissionMetrics {
  count(results: readonly RuleResult[]): void;
}

/** So many policies have series of their own; the rest are counted together. */
const maxPolicies = 300;

type Counts = Record<RuleStatus, number>;

/** Counting happens on every rule of every request, so it is a plain addition; the registry asks when it is scraped. */
export function createAdmissionMetrics(registry: Registry, later: AuditQueue): AdmissionMetrics {
  const byPolicy = new Map<string, Counts>();
  const countsOf = (policy: string): Counts => {
    let counts = byPolicy.get(policy);
    if (!counts) {
      if (byPolicy.size >= maxPolicies && policy !== 'other') return countsOf('other');
      byPolicy.set(policy, (counts = { pass: 0, fail: 0, error: 0, skip: 0 }));
    }
    return counts;
  };
  new Counter({
    name: 'supercargo_admission_rule_results_total',
    help: 'What rules said of requests, by policy and result.',
    labelNames: ['policy', 'result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [policy, counts] of byPolicy) {
        for (const [result, count] of Object.entries(counts)) if (count > 0) this.inc({ policy, result }, count);
      }
    },
  });
  new Gauge({
    name: 'supercargo_admission_later_waiting',
    help: 'Requests whose audit rules wait to be judged.',
    registers: [registry],
    collect() {
      this.set(later.waiting);
    },
  });
  new Counter({
    name: 'supercargo_admission_later_dropped_total',
    help: 'Requests whose audit rules were never judged because too many waited.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(later.dropped);
    },
  });
  return {
    count(results) {
      for (const { policy, status } of results) countsOf(policy.key)[status]++;
    },
  };
}
