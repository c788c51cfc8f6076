import type { Summary } from './entry.ts';
import type { Finding } from './finding.ts';

export interface ReportTotals {
  readonly policies: number;
  readonly rules: number;
  readonly resources: number;
  readonly summary: Summary;
  /** Policies that could not run, as `place: kind name: reason`. */
  readonly notSupported: readonly string[];
}

/** Takes findings as they come and writes a report. Nothing is written after `end`. */
export interface ReportSink {
  add(finding: Finding): void;
  end(totals: ReportTotals): void;
}

export interface SinkOptions {
  readonly write: (text: string) => void;
  readonly now: number;
  readonly version: string;
  readonly hasColours: boolean;
  /** The width of the terminal, if there is one. */
  readonly width: number | undefined;
}
