import type { KubeObject } from '../../object/index.ts';
import type { PolicyRequest } from '../request.ts';
import type { MatchBlock, ResourceFilter } from '../types.ts';
import { compileFilter, type FilterMatcher, type MismatchReason } from './filter.ts';

export interface MatchOptions {
  readonly match: MatchBlock | undefined;
  readonly exclude?: MatchBlock | undefined;
  /** A namespaced policy judges its own namespace alone. */
  readonly policyNamespace?: string | undefined;
  /** What match says of users counts even where nobody asks: exceptions are for those they name. */
  readonly needsUser?: boolean;
}

/** Says why a rule is not for this request, or undefined when it is. */
export type RuleMatcher = (request: PolicyRequest) => MismatchReason;

export function compileRuleMatch({ match = {}, exclude, policyNamespace, needsUser }: MatchOptions): RuleMatcher {
  const included = compileBlock(match, needsUser ? compileExcluded : compileIncluded);
  const excluded = exclude && hasContent(exclude) ? compileBlock(exclude, compileExcluded) : undefined;
  const judge = (request: PolicyRequest, subject: KubeObject): MismatchReason => {
    if (policyNamespace !== undefined && (subject.metadata.namespace ?? '') !== policyNamespace)
      return 'the policy is for another namespace';
    const mismatch = included(request, subject);
    if (mismatch !== undefined || !excluded) return mismatch;
    return excluded(request, subject) === undefined ? 'excluded' : undefined;
  };
  return (request) => {
    const { object, oldObject } = request;
    if (object) return judge(request, object);
    return oldObject ? judge(request, oldObject) : 'there is no object';
  };
}

function compileBlock(block: MatchBlock, compile: (filter: ResourceFilter) => FilterMatcher): FilterMatcher {
  if (block.any?.length) {
    const filters = block.any.map(compile);
    if (filters.length === 1) return filters[0]!;
    return (request, subject) => {
      for (const filter of filters) if (filter(request, subject) === undefined) return undefined;
      return 'no filter of any matches';
    };
  }
  const filters = (block.all?.length ? block.all : [block]).map(compile);
  if (filters.length === 1) return filters[0]!;
  return (request, subject) => {
    for (const filter of filters) {
      const mismatch = filter(request, subject);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  };
}

/** Without anybody asking, what a match says of users does not count. */
function compileIncluded(filter: ResourceFilter): FilterMatcher {
  const { resources, user, isEmpty } = compileFilter(filter);
  if (isEmpty) return () => 'match is empty';
  const isUserOnly = filter.resources === undefined || Object.keys(filter.resources).length === 0;
  return (request, subject) => {
    const mismatch = resources(request, subject);
    if (mismatch !== undefined) return mismatch;
    if (request.info !== undefined) return user(request.info);
    return isUserOnly ? 'match is empty' : undefined;
  };
}

/** As exclude has it, and exceptions: users count always. */
function compileExcluded(filter: ResourceFilter): FilterMatcher {
  const { resources, user, isEmpty } = compileFilter(filter);
  if (isEmpty) return () => 'the filter is empty';
  return (request, subject) => resources(request, subject) ?? user(request.info);
}

function hasContent(block: MatchBlock): boolean {
  return Boolean(block.any?.length || block.all?.length) || !compileFilter(block).isEmpty;
}
