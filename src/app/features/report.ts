import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { defaultResourceFilters, parseResourceFilters } from '../../admission/index.ts';
import { startOrder } from '../../controller/index.ts';
import { parseDurationMs } from '../../object/index.ts';
import { createReporter, createReportOutbox, type IsLeftOut } from '../../report/index.ts';
import type { WireFeature } from './feature.ts';

/** What policies say of everything in the cluster, written as policy reports; on the leader alone. */
export const wireReport: WireFeature = (environment) => {
  const { config, connection, policies, lookUps, metrics, clock, admissionResults } = environment;
  const filters = parseResourceFilters(config.admission.resourceFilters ?? defaultResourceFilters);
  // A namespace counts as being in itself, as in requests about it.
  const isLeftOut: IsLeftOut = (kind, namespace, name) =>
    filters.excludes(kind, '', kind.group === '' && kind.kind === 'Namespace' ? name : namespace, name);
  const log = environment.log.child({ feature: 'report' });
  const reporter = createReporter({
    client: connection.client,
    discovery: connection.discovery,
    policies,
    lookUps,
    installation: config.installation,
    isSplit: config.report.splitPolicyReport,
    isLeftOut,
    outboxNamespace: environment.namespace,
    rescanMs: parseDurationMs(config.report.rescanInterval),
    metrics,
    clock,
    log,
  });
  const outbox = createReportOutbox({
    client: connection.client,
    installation: config.installation,
    namespace: environment.namespace,
    identity: `${hostname()} ${randomUUID()}`,
    isLeftOut,
    clock,
    log,
  });
  return {
    runnables: [
      { name: 'report', needsLeadership: 'controllers', run: (signal) => reporter.run(signal) },
      {
        // Every replica hears of requests, one writes reports.
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
