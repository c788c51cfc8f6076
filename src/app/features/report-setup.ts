import { defaultResourceFilters, parseResourceFilters } from '../../admission/index.ts';
import { parseDurationMs } from '../../object/index.ts';
import { createReporter, type IsExcluded, type Reporter, type ReporterOptions } from '../../report/index.ts';
import type { Config } from '../config.ts';
import type { FeatureEnvironment } from './feature.ts';

/** Resources excluded from reports: the same as for admission. */
export function isExcludedBy(config: Config): IsExcluded {
  const filters = parseResourceFilters(config.admission.resourceFilters ?? defaultResourceFilters);
  // A Namespace counts as being in itself, as in admission requests.
  return (kind, namespace, name) =>
    filters.excludes(kind, '', kind.group === '' && kind.kind === 'Namespace' ? name : namespace, name);
}

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
