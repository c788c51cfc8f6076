import type { ExplainNode, ResultRow } from '../../../src/dashboard/protocol.ts';

/** What is explained, as one parameter of the URL. */
export function renderExplainParam({
  policy,
  rule,
  resource,
}: Pick<ResultRow, 'policy' | 'rule' | 'resource'>): string {
  const { apiVersion, kind, namespace = '', name } = resource;
  return [policy, rule, apiVersion, kind, namespace, name]
    .map((part) => encodeURIComponent(part.toWellFormed()).replaceAll('~', '%7E'))
    .join('~');
}

/** The query for `/api/explain`; undefined for a parameter that is none. */
export function explainQuery(param: string): URLSearchParams | undefined {
  const parts = param.split('~');
  if (parts.length !== 6) return undefined;
  try {
    const [policy, rule, apiVersion, kind, namespace, name] = parts.map(decodeURIComponent) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const query = new URLSearchParams({ policy, rule, apiVersion, kind, name });
    if (namespace) query.set('namespace', namespace);
    return query;
  } catch {
    return undefined;
  }
}

/** Whether a branch starts open: it, or something below it, decided against the object. */
export const opensAtFirst = (node: ExplainNode, depth: number): boolean =>
  depth < 2 ||
  node.status === 'fail' ||
  node.status === 'error' ||
  node.children.some((child) => opensAtFirst(child, depth));
