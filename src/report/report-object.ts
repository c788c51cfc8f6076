import { ownerLabel } from '../api/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { type KubeObject, renderApiVersion } from '../object/index.ts';
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

export const annotations = {
  policy: 'supercargo.dev/policy',
  /** The results when we wrote them, without their times. */
  content: 'supercargo.dev/content',
  /** The generation that our write created; a different one means that another client wrote since. */
  generation: 'supercargo.dev/content-generation',
  /** Some results came from admission and cannot be computed again. */
  admission: 'supercargo.dev/admission-results',
} as const;

interface RenderOptions {
  readonly index: ResultIndex;
  readonly installation: string;
  /** The object to replace; absent for a new one. */
  readonly replaces?: { readonly resourceVersion: string; readonly generation: number } | undefined;
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
      annotations: {
        ...(part.policy === undefined ? {} : { [annotations.policy]: part.policy }),
        [annotations.content]: index.fingerprintOf(part),
        [annotations.generation]: String((replaces?.generation ?? 0) + 1),
        ...(part.fromAdmission > 0 ? { [annotations.admission]: 'true' } : {}),
      },
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
