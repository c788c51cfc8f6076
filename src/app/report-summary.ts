import { type ReportSummary, reportedStatuses } from '../report/index.ts';
import type { ReportedResult } from './report-read.ts';

export const groupings = ['policy', 'namespace', 'severity', 'resource'] as const;
export type Grouping = (typeof groupings)[number];

export interface ResultGroup extends ReportSummary {
  readonly key: string;
}

export const severityOrder = ['critical', 'high', 'medium', 'low', 'info', 'none'];

/** Counts results as they come. */
export class ResultCounts {
  private readonly groups = new Map<string, Record<string, number>>();
  readonly total = emptyCounts() as unknown as ReportSummary;

  constructor(private readonly by: Grouping) {}

  add(results: readonly ReportedResult[]): void {
    for (const result of results) {
      const key = keyOf(result, this.by);
      const counts = this.groups.get(key) ?? emptyCounts();
      this.groups.set(key, counts);
      counts[result.result]!++;
      (this.total as unknown as Record<string, number>)[result.result]!++;
    }
  }

  /** Worst first, then by name. */
  sorted(): readonly ResultGroup[] {
    const found = [...this.groups].map(([key, counts]) => ({ key, ...(counts as unknown as ReportSummary) }));
    if (this.by === 'severity')
      return found.sort((a, b) => severityOrder.indexOf(a.key) - severityOrder.indexOf(b.key));
    return found.sort((a, b) => b.fail + b.error - (a.fail + a.error) || b.warn - a.warn || compare(a.key, b.key));
  }
}

export function groupResults(results: readonly ReportedResult[], by: Grouping): readonly ResultGroup[] {
  const counts = new ResultCounts(by);
  counts.add(results);
  return counts.sorted();
}

export function summarise(results: readonly ReportedResult[]): ReportSummary {
  const counts = emptyCounts();
  for (const { result } of results) counts[result]!++;
  return counts as unknown as ReportSummary;
}

function keyOf({ policy, severity, resource }: ReportedResult, by: Grouping): string {
  switch (by) {
    case 'policy':
      return policy;
    case 'namespace':
      return resource.namespace ?? '(cluster)';
    case 'severity':
      return severity ?? 'none';
    case 'resource':
      return resource.namespace
        ? `${resource.kind}/${resource.namespace}/${resource.name}`
        : `${resource.kind}/${resource.name}`;
  }
}

const emptyCounts = (): Record<string, number> => Object.fromEntries(reportedStatuses.map((status) => [status, 0]));
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
