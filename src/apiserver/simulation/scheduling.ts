import type { Node, NodeSelectorTerm, PodSpec } from 'kubernetes-types/core/v1.js';
import type { Live } from './types.ts';

type Requirement = NonNullable<NodeSelectorTerm['matchFields']>[number];

/**
 * Whether a pod may run on a node: its name, node selector and required affinity. Taints and capacity are not
 * simulated.
 */
export function matchesNode(spec: PodSpec, node: Live<Node>): boolean {
  if (spec.nodeName) return spec.nodeName === node.metadata.name;
  const labels = node.metadata.labels ?? {};
  if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return !terms || terms.some((term) => matchesTerm(term, node));
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Live<Node>): boolean {
  // An empty node selector term matches nothing.
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    matchExpressions.every((one) => meets(labels[one.key], one)) &&
    matchFields.every((one) => meets(one.key === 'metadata.name' ? node.metadata.name : undefined, one))
  );
}

function meets(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
