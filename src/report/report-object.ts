import { ownerLabel } from '../api/index.ts';
import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { deepEqual, type KubeObject, renderApiVersion } from '../object/index.ts';
import { policyOf } from './names.ts';
import type { ReportPart } from './part-table.ts';
import type { ResultHead } from './result.ts';
import type { IndexedResult, ResultIndex } from './result-index.ts';

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
  return {
    ...renderKind(part),
    metadata: {
      name: part.name,
      ...(part.namespace === '' ? {} : { namespace: part.namespace }),
      ...(replaces ? { resourceVersion: replaces.resourceVersion } : {}),
      labels: { 'app.kubernetes.io/managed-by': 'supercargo', [ownerLabel]: installation },
      ...(part.policy === undefined ? {} : { annotations: { [annotations.policy]: part.policy } }),
    },
    results: Array.from(index.resultsOf(part), ({ head, resource, result, message, properties, seconds }) => ({
      ...renderHead(head),
      result,
      ...(message === '' ? {} : { message }),
      timestamp: { seconds, nanos: 0 },
      resources: [resource],
      properties,
    })),
    summary: index.summaryOf(part),
  };
}

function renderKind({ namespace }: ReportPart) {
  const type = typeForNamespace(namespace);
  return { apiVersion: renderApiVersion(type), kind: type.kind };
}

const renderHead = (head: ResultHead): ResultHead => ({ ...head, policy: policyOf(head.policy).shownName });

/**
 * Whether an object says what the part must say, whenever it was found: all but the metadata and the times of results is
 * compared. Renders no results, for there may be a million; ends at the first difference.
 */
export function isSameReport(
  { metadata: _, results, ...rest }: KubeObject,
  part: ReportPart,
  index: ResultIndex,
): boolean {
  if (!deepEqual(rest, { ...renderKind(part), summary: index.summaryOf(part) })) return false;
  if (!Array.isArray(results) || results.length !== part.count) return false;
  const heads = new Map<ResultHead, ResultHead>();
  let position = 0;
  for (const expected of index.resultsOf(part)) {
    let head = heads.get(expected.head);
    if (!head) heads.set(expected.head, (head = renderHead(expected.head)));
    if (!isSameResult(results[position++], head, expected)) return false;
  }
  return true;
}

function isSameResult(stored: unknown, head: ResultHead, expected: IndexedResult): boolean {
  const { resource, result, message, properties } = expected;
  if (!isJsonObject(stored)) return false;
  // Besides the head: result, resources, properties.
  const fields = fieldCount(head) + (message === '' ? 3 : 4) + (Object.hasOwn(stored, 'timestamp') ? 1 : 0);
  const { resources } = stored;
  return (
    fieldCount(stored) === fields &&
    stored['result'] === result &&
    stored['message'] === (message === '' ? undefined : message) &&
    Array.isArray(resources) &&
    resources.length === 1 &&
    hasFields(stored, head) &&
    isSameObject(resources[0], resource) &&
    isSameObject(stored['properties'], properties)
  );
}

const isSameObject = (stored: unknown, expected: object): boolean =>
  isJsonObject(stored) && fieldCount(stored) === fieldCount(expected) && hasFields(stored, expected);

const fieldCount = (object: object): number => Object.keys(object).length;

function hasFields(stored: JsonObject, expected: object): boolean {
  for (const key in expected) {
    const value = expected[key as keyof object] as unknown;
    if (!Object.hasOwn(stored, key) || (stored[key] !== value && !deepEqual(stored[key], value))) return false;
  }
  return true;
}
