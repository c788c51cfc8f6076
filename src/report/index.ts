/**
 * Policy reports: the results of policies for all objects in the cluster, one report per policy and namespace.
 * Evaluates what changes, keeps every result in a compact index, and writes report objects from the index. It decides
 * nothing about requests; admission passes its results in.
 *
 * Invariants: at rest, background results equal policies × resources. Names and parts of reports follow from their
 * contents alone. A report object is written only when its contents change, never beyond the size that etcd accepts,
 * and never when it does not carry our label. Nothing is removed because something could not be read.
 */
export { type AdmittedResults, admittedResults } from './admission-results.ts';
export type { OnReportProblem, ReportProblem } from './kind-failures.ts';
export {
  createReportMetrics,
  type OpenReportMetrics,
  type ReportGauges,
  type ReportMetrics,
  type WriteOperation,
  type WriteOutcome,
} from './metrics.ts';
export { reportName } from './names.ts';
export { createReportOutbox } from './outbox.ts';
export { reportTypes } from './report-object.ts';
export { createReporter, type Reporter, type ReporterOptions } from './reporter.ts';
export { type ReportedStatus, type ReportSummary, reportedStatuses } from './result.ts';
export type { IsExcluded } from './scope.ts';
