import { systemClock } from '../base/index.ts';
import { createInformer } from '../kube/index.ts';
import { reportTypes } from '../report/index.ts';
import type { Connection } from './connect.ts';
import { type ReportEntry, reportFormats } from './offline/index.ts';
import { renderHtml } from './report-html.ts';
import { type ReportedResult, type ReportFilter, readResults } from './report-read.ts';
import { type Grouping, groupResults, type ResultGroup, summarise } from './report-summary.ts';

export type ReportFormat = 'table' | 'json' | 'sarif' | 'junit' | 'html';

export interface ReportRequest extends ReportFilter {
  readonly by: Grouping;
  readonly format: ReportFormat;
  readonly version: string;
}

/** Reads the reports of a cluster and renders them; a table is given as groups, for whoever prints it. */
export interface ClusterReport {
  readonly groups: readonly ResultGroup[];
  readonly total: ReturnType<typeof summarise>;
  /** In every format but the table. */
  readonly text: string;
}

export async function reportCluster(
  { client }: Connection,
  request: ReportRequest,
  signal: AbortSignal,
): Promise<ClusterReport> {
  const results = await readResults(client, request, signal);
  const groups = groupResults(results, request.by);
  const total = summarise(results);
  const where = request.namespace === undefined ? 'all namespaces' : `namespace ${request.namespace}`;
  const subject = `${client.config.name}, ${where}`;
  return { groups, total, text: render(results, groups, request, subject) };
}

function render(
  results: readonly ReportedResult[],
  groups: readonly ResultGroup[],
  { format, by, version }: ReportRequest,
  subject: string,
): string {
  const now = systemClock.now();
  const summary = summarise(results);
  switch (format) {
    case 'table':
      return '';
    case 'html':
      return renderHtml(results, { subject, now, version });
    case 'json':
      return `${JSON.stringify({ summary, by, groups, results }, undefined, 2)}\n`;
    default: {
      const lines: string[] = [];
      const write = (text: string) => lines.push(text);
      const sink = reportFormats[format]!.open({ write, now, version, hasColours: false, width: undefined });
      for (const own of byResource(results))
        sink.add({ summary: summarise(own), isBlocked: false, entries: own.map(asEntry) });
      const count = (of: (result: ReportedResult) => string) => new Set(results.map(of)).size;
      sink.end({
        policies: count(({ policy }) => policy),
        rules: count(({ policy, rule }) => `${policy}/${rule}`),
        resources: count(({ resource }) => JSON.stringify(resource)),
        summary,
        notSupported: [],
      });
      return lines.join('');
    }
  }
}

function byResource(results: readonly ReportedResult[]): Iterable<readonly ReportedResult[]> {
  const found = new Map<string, ReportedResult[]>();
  for (const result of results) {
    const key = JSON.stringify(result.resource);
    const own = found.get(key);
    if (own) own.push(result);
    else found.set(key, [result]);
  }
  return found.values();
}

/** What lives in a cluster has no file: its place in the cluster stands for one. */
function asEntry({ source: _, seconds: __, ...entry }: ReportedResult): ReportEntry {
  const { kind, namespace = 'cluster', name } = entry.resource;
  return { ...entry, action: 'Audit', file: `${namespace}/${kind}/${name}`, line: 1 };
}

const calmMs = 500;

/** Calls again after every change of any report, not more often than a person can read. */
export async function followReports(
  { client }: Connection,
  namespace: string | undefined,
  onChange: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const types = namespace === undefined ? [reportTypes.namespaced, reportTypes.cluster] : [reportTypes.namespaced];
  let wake: () => void = () => {};
  let isChanged = true;
  const change = () => {
    isChanged = true;
    wake();
  };
  const running = types.map((type) => {
    const informer = createInformer({ client, type, namespace, metadataOnly: true, project: () => undefined });
    informer.addHandler({ onAdd: change, onUpdate: change, onDelete: change });
    return informer.run(signal);
  });
  while (!signal.aborted) {
    await systemClock.sleep(calmMs, signal).catch(() => {});
    if (signal.aborted) break;
    if (isChanged) {
      isChanged = false;
      await onChange();
      continue;
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  await Promise.all(running);
}

export { type Grouping, groupings } from './report-summary.ts';
