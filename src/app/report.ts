import { onAbort, renderYaml, systemClock } from '../base/index.ts';
import { createInformer } from '../kube/index.ts';
import { type ReportEntry, reportFormats } from '../offline/index.ts';
import { reportTypes } from '../report/index.ts';
import type { Connection } from './connect.ts';
import { renderHtml } from './report-html.ts';
import { type ReportedResult, type ReportFilter, readResults } from './report-read.ts';
import { type Grouping, ResultCounts, type ResultGroup, summarise } from './report-summary.ts';
import { createWorstResults } from './report-worst.ts';

export type ReportFormat = 'table' | 'wide' | 'json' | 'yaml' | 'sarif' | 'junit' | 'html';

export interface ReportRequest extends ReportFilter {
  readonly by: Grouping;
  readonly format: ReportFormat;
  readonly version: string;
}

/** The summary of a cluster's reports. */
export interface ClusterReport {
  readonly groups: readonly ResultGroup[];
  readonly total: ReturnType<typeof summarise>;
  /** The worst results that do not pass, limited for a terminal. */
  readonly details: readonly ReportedResult[];
}

/** Takes text as it comes; awaited, so that no more is read than can be written. */
export type WriteText = (text: string) => Promise<void>;

interface Sink {
  add(results: readonly ReportedResult[]): Promise<void>;
  end(counts: ResultCounts): Promise<void>;
}

/**
 * Reads the reports of a cluster and writes them in the format, one report after another; the caller renders a table.
 */
export async function reportCluster(
  { client }: Connection,
  request: ReportRequest,
  write: WriteText,
  signal: AbortSignal,
): Promise<ClusterReport> {
  const where = request.namespace === undefined ? 'all namespaces' : `namespace ${request.namespace}`;
  const sink = openSink(request, `${client.config.name}, ${where}`, write);
  const counts = new ResultCounts(request.by);
  const worst = createWorstResults();
  for await (const results of readResults(client, request, signal)) {
    counts.add(results);
    worst.add(results);
    await sink?.add(results);
  }
  await sink?.end(counts);
  return { groups: counts.sorted(), total: counts.total, details: worst.sorted() };
}

function openSink(request: ReportRequest, subject: string, write: WriteText): Sink | undefined {
  switch (request.format) {
    case 'table':
    case 'wide':
      return undefined;
    case 'html':
      return htmlSink(request, subject, write);
    case 'json':
      return jsonSink(request.by, write);
    case 'yaml':
      return yamlSink(request.by, write);
    default:
      return formatSink(request.format, request.version, write);
  }
}

/** Results come first: the summary is known at the end. */
function jsonSink(by: Grouping, write: WriteText): Sink {
  let separator = '{"results":[\n';
  return {
    async add(results) {
      if (results.length === 0) return;
      await write(`${separator}${results.map((result) => JSON.stringify(result)).join(',\n')}`);
      separator = ',\n';
    },
    async end(counts) {
      const rest = JSON.stringify({ summary: counts.total, by, groups: counts.sorted() }).slice(1);
      await write(`${separator.startsWith('{') ? separator : '\n'}],\n${rest}\n`);
    },
  };
}

/** The same as YAML. */
function yamlSink(by: Grouping, write: WriteText): Sink {
  let isEmpty = true;
  return {
    async add(results) {
      if (results.length === 0) return;
      await write(`${isEmpty ? 'results:\n' : ''}${renderYaml(results)}`);
      isEmpty = false;
    },
    async end(counts) {
      const rest = renderYaml({ summary: counts.total, by, groups: counts.sorted() });
      await write(`${isEmpty ? 'results: []\n' : ''}${rest}`);
    },
  };
}

function formatSink(format: string, version: string, write: WriteText): Sink {
  let texts: string[] = [];
  const flush = async () => {
    const text = texts.join('');
    texts = [];
    if (text !== '') await write(text);
  };
  const now = systemClock.now();
  const options = { write: (text: string) => texts.push(text), now, version, hasColours: false, width: undefined };
  const sink = reportFormats[format]!.open(options);
  return {
    async add(results) {
      for (const own of byResource(results))
        sink.add({ summary: summarise(own), isBlocked: false, entries: own.map(asEntry) });
      await flush();
    },
    async end({ total }) {
      sink.end({ policies: 0, rules: 0, resources: 0, summary: total, notSupported: [] });
      await flush();
    },
  };
}

/** One page: it is sorted, so everything is read before anything is written. */
function htmlSink({ version }: ReportRequest, subject: string, write: WriteText): Sink {
  const all: ReportedResult[] = [];
  return {
    async add(results) {
      for (const result of results) all.push(result);
    },
    end: () => write(renderHtml(all, { subject, now: systemClock.now(), version })),
  };
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

/** Objects of a cluster have no file: their place in the cluster replaces it. */
function asEntry({ seconds: _, ...entry }: ReportedResult): ReportEntry {
  const { kind, namespace = 'cluster', name } = entry.resource;
  return { ...entry, action: 'Audit', file: `${namespace}/${kind}/${name}` };
}

const calmMs = 500;

/** Calls again after every change of a report, at a rate that can be read. */
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
  onAbort(signal, () => wake());
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
    });
  }
  await Promise.all(running);
}

export { type Grouping, groupings } from './report-summary.ts';
