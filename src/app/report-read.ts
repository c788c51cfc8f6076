import { isJsonObject, UsageError } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { ReportEntry } from '../offline/index.ts';
import { type ReportedStatus, reportedStatuses, reportTypes } from '../report/index.ts';

/** A result of a report in the cluster, from any writer. */
export interface ReportedResult extends Omit<ReportEntry, 'action' | 'file' | 'line'> {
  readonly source: string;
  /** Seconds since the epoch; undefined if the report has no time. */
  readonly seconds?: number;
}

export interface ReportFilter {
  /** Undefined for all namespaces and cluster-scoped resources. */
  readonly namespace?: string | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly results?: readonly string[] | undefined;
  readonly severities?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
}

/** Reads results that pass the filter, one report at a time. */
export async function* readResults(
  client: KubeClient,
  filter: ReportFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly ReportedResult[]> {
  const { namespace } = filter;
  const types = namespace === undefined ? [reportTypes.namespaced, reportTypes.cluster] : [reportTypes.namespaced];
  for (const type of types) {
    try {
      for await (const page of client.pages<KubeObject>(type, { namespace, limit: 20, signal }))
        for (const report of page.items) yield resultsOf(report).filter((result) => passes(result, filter));
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      throw new UsageError(
        'report-no-kind',
        `this cluster has no ${type.resource}.${type.group}; install Supercargo with the feature report first`,
      );
    }
  }
}

function resultsOf(report: KubeObject): readonly ReportedResult[] {
  const results: readonly unknown[] = Array.isArray(report['results']) ? report['results'] : [];
  return results.flatMap((value) => {
    if (!isJsonObject(value)) return [];
    // A report about one resource names it once, in its scope.
    const resources = Array.isArray(value['resources']) ? value['resources'] : [report['scope']];
    return resources.filter(isJsonObject).map((resource) => entryOf(value, resource, report));
  });
}

function entryOf(
  value: Readonly<Record<string, unknown>>,
  resource: Readonly<Record<string, unknown>>,
  report: KubeObject,
): ReportedResult {
  const text = (of: Readonly<Record<string, unknown>>, key: string) => (typeof of[key] === 'string' ? of[key] : '');
  const optional = (key: string) => (text(value, key) === '' ? {} : { [key]: text(value, key) });
  const result = text(value, 'result') as ReportedStatus;
  const namespace = text(resource, 'namespace') || (report.metadata.namespace ?? '');
  const timestamp = value['timestamp'];
  const properties = value['properties'];
  return {
    source: text(value, 'source'),
    policy: text(value, 'policy'),
    rule: text(value, 'rule'),
    resource: {
      apiVersion: text(resource, 'apiVersion'),
      kind: text(resource, 'kind'),
      ...(namespace === '' ? {} : { namespace }),
      name: text(resource, 'name'),
    },
    result: reportedStatuses.includes(result) ? result : 'error',
    message: text(value, 'message'),
    scored: value['scored'] !== false,
    ...optional('category'),
    ...optional('severity'),
    ...(isJsonObject(properties) ? { properties: properties as Readonly<Record<string, string>> } : {}),
    ...(isJsonObject(timestamp) && typeof timestamp['seconds'] === 'number' ? { seconds: timestamp['seconds'] } : {}),
  };
}

function passes(result: ReportedResult, { policies, results, severities, kinds }: ReportFilter): boolean {
  const isAmong = (wanted: readonly string[] | undefined, value: string) =>
    wanted === undefined || wanted.some((one) => one.toLowerCase() === value.toLowerCase());
  return (
    isAmong(policies, result.policy) &&
    isAmong(results, result.result) &&
    isAmong(severities, result.severity ?? 'none') &&
    isAmong(kinds, result.resource.kind)
  );
}
