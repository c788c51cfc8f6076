/**
 * Results in the formats that people and other programs read. Each sink takes findings as they come. It does not
 * evaluate and does not open files.
 */
import type { FindingOptions } from './finding.ts';
import { jsonReport, yamlReport } from './json-report.ts';
import { junitReport } from './junit-report.ts';
import { policyReport } from './policy-report.ts';
import { resourcesReport } from './resources-report.ts';
import { sarifReport } from './sarif-report.ts';
import type { ReportSink, SinkOptions } from './sink.ts';
import { tableReport } from './table-report.ts';

export {
  entryOf,
  entryResource,
  isBlocking,
  type ReportEntry,
  type ReportedStatus,
  type Summary,
  statuses,
} from './entry.ts';
export { emptySummary, type Finding, type FindingOptions, findingOf } from './finding.ts';
export { escapeXml } from './junit-report.ts';
export { type Paint, painter, statusColours } from './paint.ts';
export type { ReportSink, ReportTotals, SinkOptions } from './sink.ts';
export { renderTotals } from './table-report.ts';

interface ReportFormat {
  readonly open: (options: SinkOptions) => ReportSink;
  /** The options of a finding that the report needs. */
  readonly entries: FindingOptions['entries'];
  readonly objects: FindingOptions['objects'];
  readonly isDetailed?: boolean;
}

const all = { entries: 'all', objects: 'none' } as const;

export const reportFormats: Readonly<Record<string, ReportFormat>> = {
  table: { open: tableReport, entries: 'notable', objects: 'none' },
  json: { open: jsonReport, ...all },
  yaml: { open: yamlReport, ...all },
  sarif: { open: sarifReport, entries: 'notable', objects: 'none', isDetailed: true },
  junit: { open: junitReport, ...all },
  policyreport: { open: policyReport, ...all },
  resources: { open: resourcesReport, entries: 'notable', objects: 'all' },
};
