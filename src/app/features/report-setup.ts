import { parseDurationMs } from '../../object/index.ts';
import { createReporter, type Reporter, type ReporterOptions } from '../../report/index.ts';
import { isExcludedBy } from '../excluded-objects.ts';
import type { FeatureEnvironment } from './feature.ts';

type ReporterEnvironment = Pick<
  FeatureEnvironment,
  'config' | 'connection' | 'policies' | 'lookUps' | 'namespace' | 'clock' | 'log'
>;

/** The reporter of the configuration, in any thread. */
export function openReporter(
  { config, connection, policies, lookUps, namespace, clock, log }: ReporterEnvironment,
  more: Pick<ReporterOptions, 'metrics' | 'isAlone' | 'onProblem' | 'checkpoint'>,
): Reporter {
  return createReporter({
    client: connection.client,
    discovery: connection.discovery,
    policies,
    lookUps,
    installation: config.installation,
    isSplit: config.report.splitPolicyReport,
    isExcluded: isExcludedBy(config),
    outboxNamespace: namespace,
    rescanMs: parseDurationMs(config.report.rescanInterval),
    clock,
    log: log.child({ feature: 'report' }),
    ...more,
  });
}
