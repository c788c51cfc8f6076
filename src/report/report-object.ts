import { ownerLabel } from '../api/index.ts';
import { isJsonObject } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { deepEqual, type KubeObject, renderApiVersion } from '../object/index.ts';
import { policyOf } from './names.ts';
import type { ReportPart } from './part-table.ts';
import type { ResultIndex } from './result-index.ts';

const type = (resource: string, kind: string, namespaced: boolean): ResourceType => ({
  group: 'wgpolicyk8s.io',
  version: 'v1alpha2',
  resource,
  kind,
  namespaced,
});

export const reportTypes = {
  namespaced: type('policyreports', 'PolicyReport', true),
  cluster: type('clusterpolicyreports', 'ClusterPolicyReport', false),
} as const;

export const typeForNamespace = (namespace: string) =>
  namespace === '' ? reportTypes.cluster : reportTypes.namespaced;

export const annotations = { policy: 'supercargo.dev/policy' } as const;

interface RenderOptions {
  readonly index: ResultIndex;
  readonly installation: string;
  /** The object to replace; absent for a new one. */
  readonly replaces?: { readonly resourceVersion: string } | undefined;
}

/** The object for a part, in the format of Kyverno's reports. */
export function renderReport(part: ReportPart, { index, installation, replaces }: RenderOptions): KubeObject {
  const of = typeForNamespace(part.namespace);
  return {
    apiVersion: renderApiVersion(of),
    kind: of.kind,
    metadata: {
      name: part.name,
      ...(part.namespace === '' ? {} : { namespace: part.namespace }),
      ...(replaces ? { resourceVersion: replaces.resourceVersion } : {}),
      labels: { 'app.kubernetes.io/managed-by': 'supercargo', [ownerLabel]: installation },
      ...(part.policy === undefined ? {} : { annotations: { [annotations.policy]: part.policy } }),
    },
    results: index.resultsOf(part).map(({ head, resource, result, message, properties, seconds }) => ({
      ...head,
      policy: policyOf(head.policy).shownName,
      result,
      ...(message === '' ? {} : { message }),
      timestamp: { seconds, nanos: 0 },
      resources: [resource],
      properties,
    })),
    summary: index.summaryOf(part),
  };
}

/** Whether both say the same, whenever it was found. All but the metadata is compared. */
export function isSameReport(one: KubeObject, other: KubeObject): boolean {
  return deepEqual(saidBy(one), saidBy(other));
}

function saidBy({ metadata: _, ...said }: KubeObject): unknown {
  const results: unknown = said['results'];
  return Array.isArray(results) ? { ...said, results: results.map(withoutTime) } : said;
}

function withoutTime(result: unknown): unknown {
  if (!isJsonObject(result)) return result;
  const { timestamp: _, ...rest } = result;
  return rest;
}
