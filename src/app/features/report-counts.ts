import type { ReportGauges, ReportMetrics, WriteOperation, WriteOutcome } from '../../report/index.ts';

/** Counts since the last message, as data that one thread can send to another. */
export interface ReportCounts {
  readonly judged: number;
  readonly rescanned: number;
  readonly written: readonly {
    readonly operation: WriteOperation;
    readonly outcome: WriteOutcome;
    readonly bytes: number;
    readonly times: number;
  }[];
  readonly queue: {
    readonly added: number;
    readonly retried: number;
    readonly depth: number;
    readonly waitedMs: readonly number[];
    readonly tookMs: readonly number[];
  };
  readonly gauges: ReportGauges | undefined;
}

/** Counts in a thread whose metrics are not scraped. */
export function tallyCounts(gauges: () => ReportGauges | undefined): ReportMetrics & { take(): ReportCounts } {
  let [judged, rescanned] = [0, 0];
  const written = new Map<string, ReportCounts['written'][number]>();
  let queue = emptyQueue(0);
  return {
    queue: {
      added: () => queue.added++,
      retried: () => queue.retried++,
      depthChanged: (depth) => {
        queue.depth = depth;
      },
      started: (waitedMs) => queue.waitedMs.push(waitedMs),
      finished: (tookMs) => queue.tookMs.push(tookMs),
    },
    evaluated(policies) {
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
      const counts = { judged, rescanned, written: [...written.values()], queue, gauges: gauges() };
      [judged, rescanned] = [0, 0];
      written.clear();
      queue = emptyQueue(queue.depth);
      return counts;
    },
  };
}

const emptyQueue = (depth: number) => ({
  added: 0,
  retried: 0,
  depth,
  waitedMs: [] as number[],
  tookMs: [] as number[],
});

/** Adds them to the metrics that are scraped. */
export function addCounts(metrics: ReportMetrics, { judged, rescanned, written, queue }: ReportCounts): void {
  metrics.evaluated(judged);
  metrics.rescanned(rescanned);
  for (const { operation, outcome, bytes, times } of written) metrics.written(operation, outcome, bytes, times);
  for (let i = 0; i < queue.added; i++) metrics.queue.added();
  for (let i = 0; i < queue.retried; i++) metrics.queue.retried();
  for (const ms of queue.waitedMs) metrics.queue.started(ms);
  for (const ms of queue.tookMs) metrics.queue.finished(ms);
  metrics.queue.depthChanged(queue.depth);
}
