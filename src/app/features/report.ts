import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { startOrder } from '../../controller/index.ts';
import { parseDurationMs } from '../../object/index.ts';
import {
  createReportMetrics,
  createReportOutbox,
  type OnReportProblem,
  type OpenReportMetrics,
} from '../../report/index.ts';
import { isExcludedBy } from '../excluded-objects.ts';
import type { FeatureEnvironment, WireFeature } from './feature.ts';
import { openReporter } from './report-setup.ts';
import { createReportThread, type RemoteReporter } from './report-thread.ts';

/** Background scan of the cluster, written as policy reports; only on the leader. */
export const wireReport: WireFeature = (environment) => {
  const { config, connection, clock, admissionResults } = environment;
  const log = environment.log.child({ feature: 'report' });
  const reporter = reporterOf(environment);
  const outbox = createReportOutbox({
    client: connection.client,
    installation: config.installation,
    namespace: environment.namespace,
    identity: `${hostname()} ${randomUUID()}`,
    isExcluded: isExcludedBy(config),
    clock,
    log,
  });
  return {
    runnables: [
      { name: 'report', needsLeadership: 'report', run: (signal) => reporter.run(signal) },
      {
        // Every replica receives requests, one writes reports.
        name: 'report-outbox',
        order: startOrder.servers,
        async run(signal) {
          const stopListening = admissionResults.subscribe((results) =>
            reporter.isRunning ? reporter.takeAdmissionResults(results) : outbox.put(results),
          );
          await outbox.run(signal);
          stopListening();
        },
      },
    ],
  };
};

function reporterOf(environment: FeatureEnvironment): RemoteReporter {
  const { reportWorker: program, config, connection, selector, metrics, log } = environment;
  const queue = environment.controllerMetrics.forQueue('report');
  const open: OpenReportMetrics = (gauges) => createReportMetrics(metrics, queue, gauges);
  const onProblem = problemsOf(environment);
  if (program === undefined) return openReporter(environment, { metrics: open, onProblem });
  const { leaseDuration, renewDeadline } = config.leaderElection;
  return createReportThread({
    program,
    config,
    ownPolicies: config.policies.selector ? 'selected' : selector ? 'none' : 'all',
    origin: connection.origin,
    onReload: environment.onReload,
    isExcluded: isExcludedBy(config),
    metrics: open,
    onProblem,
    // The time to stop after losing the Lease, before another replica may lead.
    graceMs: (parseDurationMs(leaseDuration) - parseDurationMs(renewDeadline)) / 2,
    log,
  });
}

/** Kinds that cannot be read are reported in the policy's status and in an event. */
function problemsOf({ policyProblems, events, log }: FeatureEnvironment): OnReportProblem {
  const setProblem = policyProblems.from('report');
  return (policy, problem) => {
    setProblem(policy, problem && { reason: problem.reason, message: problem.message });
    if (!problem) {
      log.info('all kinds of a policy can be read again for reports', { feature: 'report', policy });
      return;
    }
    const { subject, reason, message } = problem;
    log.warn('kinds of a policy cannot be read for reports', { feature: 'report', policy, reason, problem: message });
    events.record(subject, { type: 'Warning', reason: 'PolicyError', message });
  };
}
