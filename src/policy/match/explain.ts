import { renderApiVersion } from '../../object/index.ts';
import { type PolicyRequest, subjectOf } from '../request.ts';
import type { MatchBlock, ResourceDescription, ResourceFilter } from '../types.ts';
import { compileFilter } from './filter.ts';

/** One part of a filter: the wanted value, the value of the request, and whether they match. */
interface FilterPart {
  readonly field: string;
  readonly wanted: unknown;
  readonly found: unknown;
  readonly matches: boolean;
}

export interface FilterExplanation {
  /** `match.any[0]`, `exclude`. */
  readonly where: string;
  readonly matches: boolean;
  readonly parts: readonly FilterPart[];
}

/** Explains which filters of a block match a request. */
export function explainBlock(name: string, block: MatchBlock, request: PolicyRequest): readonly FilterExplanation[] {
  const listed = (key: 'any' | 'all', filters: readonly ResourceFilter[]) =>
    filters.map((filter, i) => explainFilter(`${name}.${key}[${i}]`, filter, request));
  if (block.any?.length) return listed('any', block.any);
  return block.all?.length ? listed('all', block.all) : [explainFilter(name, block, request)];
}

const resourceFields = [
  'operations',
  'kinds',
  'name',
  'names',
  'namespaces',
  'annotations',
  'selector',
  'namespaceSelector',
] as const satisfies readonly (keyof ResourceDescription)[];
const userFields = ['roles', 'clusterRoles', 'subjects'] as const;

/** Evaluates each part alone, with the code that matches the whole filter. */
function explainFilter(where: string, filter: ResourceFilter, request: PolicyRequest): FilterExplanation {
  const subject = subjectOf(request);
  const parts: FilterPart[] = [];
  for (const field of resourceFields) {
    const wanted = filter.resources?.[field];
    if (wanted === undefined || (Array.isArray(wanted) && wanted.length === 0)) continue;
    const alone = compileFilter({ resources: { [field]: wanted } });
    const matches = subject !== undefined && alone.resources(request, subject) === undefined;
    parts.push({ field: `resources.${field}`, wanted, found: foundFor(field, request), matches });
  }
  for (const field of userFields) {
    const wanted = filter[field];
    if (!wanted?.length) continue;
    // If the request has no user, users in match are ignored.
    const isIgnored = request.info === undefined && where.startsWith('match');
    const matches = isIgnored || compileFilter({ [field]: wanted }).user(request.info) === undefined;
    parts.push({ field, wanted, found: userOf(field, request), matches });
  }
  return { where, matches: parts.length > 0 && parts.every((part) => part.matches), parts };
}

function foundFor(field: (typeof resourceFields)[number], request: PolicyRequest): unknown {
  const { kind, metadata } = subjectOf(request) ?? { kind: '', metadata: {} };
  switch (field) {
    case 'operations':
      return request.operation;
    case 'kinds':
      return `${renderApiVersion(request.kind)}/${request.kind.kind}${request.subresource ? `/${request.subresource}` : ''}`;
    case 'name':
    case 'names':
      return metadata.name ?? metadata.generateName ?? '';
    case 'namespaces':
      return (kind === 'Namespace' ? metadata.name : metadata.namespace) ?? '';
    case 'annotations':
      return metadata.annotations ?? {};
    case 'selector':
      return metadata.labels ?? {};
    case 'namespaceSelector':
      return request.namespaceLabels;
  }
}

function userOf(field: (typeof userFields)[number], { info }: PolicyRequest): unknown {
  if (info === undefined) return 'no user';
  return field === 'subjects' ? info.userInfo : info[field];
}
