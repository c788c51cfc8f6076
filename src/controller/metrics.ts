import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type ReconcileMetrics, type ReconcileOutcome, reconcileOutcomes } from './controller.ts';
import type { WorkqueueMetrics } from './workqueue.ts';

/** The metrics of one registry. Workqueue and leader metrics have the names that Kubernetes dashboards use. */
export interface ControllerMetrics {
  /** For `createController`; `name` becomes a label. */
  forController(name: string): ReconcileMetrics;
  /** For a queue without a controller. */
  forQueue(name: string): WorkqueueMetrics;
  /** For `createLeaderElection`'s `onLeadingChanged`; `group` becomes a label. */
  forLeadership(group: string): (isLeading: boolean) => void;
}

interface ControllerMetricsOptions {
  /** Names beyond this number share the label `other`; 64 by default. */
  readonly maxNames?: number;
}

// From 1 ms to 1000 s. Back-off pauses are not measured here, but a queue behind a slow API server waits minutes.
const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1000];

/** Registers the metrics of this folder; once per registry. */
export function createControllerMetrics(registry: Registry, options: ControllerMetricsOptions = {}): ControllerMetrics {
  const registers = [registry];
  const queue = { labelNames: ['name'], registers } as const;
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys that wait to be worked on now', ...queue });
  const adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'Keys added that were not waiting already',
    ...queue,
  });
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Keys put back after a failure', ...queue });
  const latency = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long keys waited before they were worked on',
    buckets,
    ...queue,
  });
  const duration = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long the work on a key took',
    buckets,
    ...queue,
  });
  const reconciles = new Counter({
    name: 'supercargo_reconcile_total',
    help: 'Reconciles by controller and result',
    labelNames: ['controller', 'result'],
    registers,
  });
  const leading = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this replica leads the group, else 0',
    ...queue,
  });
  const controllerLabel = boundedLabel(options.maxNames ?? 64);
  const groupLabel = boundedLabel(options.maxNames ?? 64);

  const forQueue = (queueName: string): WorkqueueMetrics => {
    const name = controllerLabel(queueName);
    // Present from the start: a rate over a series that appears with its first error misses that error.
    adds.inc({ name }, 0);
    retries.inc({ name }, 0);
    depth.set({ name }, 0);
    return {
      added: () => adds.inc({ name }),
      depthChanged: (keys) => depth.set({ name }, keys),
      started: (waitedMs) => latency.observe({ name }, waitedMs / 1000),
      finished: (tookMs) => duration.observe({ name }, tookMs / 1000),
      retried: () => retries.inc({ name }),
    };
  };

  return {
    forQueue,
    forController(controllerName) {
      const name = controllerLabel(controllerName);
      for (const result of reconcileOutcomes) reconciles.inc({ controller: name, result }, 0);
      return {
        queue: forQueue(controllerName),
        reconciled: (result: ReconcileOutcome) => reconciles.inc({ controller: name, result }),
      };
    },
    forLeadership(group) {
      const name = groupLabel(group);
      leading.set({ name }, 0);
      return (isLeading) => leading.set({ name }, isLeading ? 1 : 0);
    },
  };
}

function boundedLabel(max: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < max) known.add(name);
    return known.has(name) ? name : 'other';
  };
}
