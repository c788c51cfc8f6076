import type { ReportGauges, ReportMetrics, WriteOperation, WriteOutcome } from '../../report/index.ts';

/** What was counted since the last time, as data that one thread can send to another. */
export interface ReportCounts {
  readonly judged: number;
  readonly rescanned: number;
  readonly written: readonly {
    readonly operation: WriteOperation;
    readonly outcome: WriteOutcome;
    readonly bytes: number;
    readonly times: number;
  }[];
  readonly gauges: ReportGauges | undefined;
}

/** Counts in a thread whose metrics nobody reads. */
export function tallyCounts(gauges: () => ReportGauges | undefined): ReportMetrics & { take(): ReportCounts } {
  let [judged, rescanned] = [0, 0];
  const written = new Map<string, ReportCounts['written'][number]>();
  return {
    judged(policies) {
      judged += policies;
    },
    rescanned(policies) {
      rescanned += policies;
    },
    written(operation, outcome, bytes = 0, times = 1) {
      const key = `${operation} ${outcome}`;
      const before = written.get(key) ?? { bytes: 0, times: 0 };
      written.set(key, { operation, outcome, bytes: before.bytes + bytes, times: before.times + times });
    },
    take() {
      const counts = { judged, rescanned, written: [...written.values()], gauges: gauges() };
      [judged, rescanned] = [0, 0];
      written.clear();
      return counts;
    },
  };
}

/** Adds them where they are read. */
export function addCounts(metrics: ReportMetrics, { judged, rescanned, written }: ReportCounts): void {
  metrics.judged(judged);
  metrics.rescanned(rescanned);
  for (const { operation, outcome, bytes, times } of written) metrics.written(operation, outcome, bytes, times);
}
