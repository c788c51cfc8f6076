import { LRUCache } from 'lru-cache';
import { renderJson } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { PolicyRequest } from '../request.ts';
import type { MatchBlock, ResourceFilter } from '../types.ts';
import { compileFilter, type FilterMatcher, type MismatchReason } from './filter.ts';

interface MatchOptions {
  readonly match: MatchBlock | undefined;
  readonly exclude?: MatchBlock | undefined;
  /** A namespaced policy matches only objects of its own namespace. */
  readonly policyNamespace?: string | undefined;
  /** Users in match must match even if the request has no user: an exception applies only to the users it names. */
  readonly needsUser?: boolean;
}

/** Returns why a rule does not match the request, or undefined when it matches. */
export type RuleMatcher = (request: PolicyRequest) => MismatchReason;

/** Longer blocks are rarely written twice. */
const maxShared = 1_000;
const shared = new LRUCache<string, RuleMatcher>({ max: 1_000 });

/** Most rules match the same few kinds: equal blocks have one matcher, which is asked once for a request. */
export function compileRuleMatch(options: MatchOptions): RuleMatcher {
  const { match, exclude, policyNamespace, needsUser } = options;
  const text = renderJson([match ?? null, exclude ?? null, policyNamespace ?? null, needsUser ?? false]);
  if (text.length > maxShared) return makeRuleMatch(options);
  let matcher = shared.get(text);
  if (matcher === undefined) shared.set(text, (matcher = makeRuleMatch(options)));
  return matcher;
}

function makeRuleMatch({ match = {}, exclude, policyNamespace, needsUser }: MatchOptions): RuleMatcher {
  const included = compileBlock(match, needsUser ? compileExcluded : compileIncluded);
  const excluded = exclude && hasContent(exclude) ? compileBlock(exclude, compileExcluded) : undefined;
  const matchSubject = (request: PolicyRequest, subject: KubeObject): MismatchReason => {
    if (policyNamespace !== undefined && (subject.metadata.namespace ?? '') !== policyNamespace)
      return 'the policy is for another namespace';
    const mismatch = included(request, subject);
    if (mismatch !== undefined || !excluded) return mismatch;
    return excluded(request, subject) === undefined ? 'excluded' : undefined;
  };
  return (request) => {
    const { object, oldObject } = request;
    if (object) return matchSubject(request, object);
    return oldObject ? matchSubject(request, oldObject) : 'there is no object';
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

/** If the request has no user (background scan), users in match are ignored. */
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

/** For exclude blocks and exceptions: users are always compared. */
function compileExcluded(filter: ResourceFilter): FilterMatcher {
  const { resources, user, isEmpty } = compileFilter(filter);
  if (isEmpty) return () => 'the filter is empty';
  return (request, subject) => resources(request, subject) ?? user(request.info);
}

function hasContent(block: MatchBlock): boolean {
  return Boolean(block.any?.length || block.all?.length) || !compileFilter(block).isEmpty;
}
