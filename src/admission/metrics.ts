import { Counter, Gauge, type Registry } from 'prom-client';
import type { RuleResult, RuleStatus } from '../policy/index.ts';
import type { AuditQueue } from './audit-queue.ts';

interface AdmissionMetrics {
  count(results: readonly RuleResult[]): void;
}

/** Limits the number of series: results of further policies are counted under `other`. */
const maxPolicies = 300;

type Counts = Record<RuleStatus, number>;

/** Counts in plain numbers, because it runs for every rule of every request; series are filled when they are scraped. */
export function createAdmissionMetrics(registry: Registry, auditQueue: AuditQueue): AdmissionMetrics {
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
    help: 'Rule results of admission requests, by policy and result.',
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
    name: 'supercargo_admission_audit_queue_depth',
    help: 'Work items waiting in the audit queue: audit rules, events and results of answered requests.',
    registers: [registry],
    collect() {
      this.set(auditQueue.waiting);
    },
  });
  new Counter({
    name: 'supercargo_admission_audit_queue_dropped_total',
    help: 'Work items dropped because the audit queue was full.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(auditQueue.dropped);
    },
  });
  return {
    count(results) {
      for (const { policy, status } of results) countsOf(policy.key)[status]++;
    },
  };
}
