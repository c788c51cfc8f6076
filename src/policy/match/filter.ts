import type { KubeObject } from '../../object/index.ts';
import type { PolicyRequest, RequestInfo } from '../request.ts';
import type { ResourceDescription, ResourceFilter } from '../types.ts';
import { compileKinds, compileWildcard } from './kind-selector.ts';
import { compileAnnotations, compileSelector } from './label-match.ts';

/** Why a filter does not match; undefined when it does. Constant texts, because a mismatch is the common case. */
export type MismatchReason = string | undefined;
export type FilterMatcher = (request: PolicyRequest, subject: KubeObject) => MismatchReason;

type Check = FilterMatcher;

/** All parts of a filter must match; in a part that is a list, any entry may. */
export function compileFilter(filter: ResourceFilter): {
  readonly isEmpty: boolean;
  readonly resources: FilterMatcher;
  readonly user: (info: RequestInfo | undefined) => MismatchReason;
} {
  const checks = resourceChecks(filter.resources ?? {});
  const user = userChecks(filter);
  return {
    isEmpty: checks.length === 0 && user.length === 0,
    resources:
      checks.length === 1
        ? checks[0]!
        : (request, subject) => {
            for (const check of checks) {
              const mismatch = check(request, subject);
              if (mismatch !== undefined) return mismatch;
            }
            return undefined;
          },
    user: (info) => {
      for (const check of user) {
        const mismatch = check(info);
        if (mismatch !== undefined) return mismatch;
      }
      return undefined;
    },
  };
}

function resourceChecks(description: ResourceDescription): readonly Check[] {
  const checks: Check[] = [];
  const { operations, kinds, name, names, namespaces, annotations, selector, namespaceSelector } = description;
  if (operations?.length) {
    const allowed = new Set(operations);
    checks.push(({ operation }) => (allowed.has(operation) ? undefined : 'operation does not match'));
  }
  if (kinds?.length) {
    const matches = compileKinds(kinds);
    checks.push(({ kind, subresource }) => (matches(kind, subresource) ? undefined : 'kind does not match'));
  }
  if (name) {
    const matches = compileWildcard(name);
    checks.push((_, subject) => (matches(nameOf(subject)) ? undefined : 'name does not match'));
  }
  if (names?.length) {
    const matchers = names.map(compileWildcard);
    checks.push((_, subject) =>
      matchers.some((matches) => matches(nameOf(subject))) ? undefined : 'none of the names match',
    );
  }
  if (namespaces?.length) {
    const matchers = namespaces.map(compileWildcard);
    checks.push((_, subject) =>
      matchers.some((matches) => matches(namespaceOf(subject))) ? undefined : 'namespace does not match',
    );
  }
  if (annotations && Object.keys(annotations).length > 0) {
    const matches = compileAnnotations(annotations);
    checks.push((_, { metadata }) => (matches(metadata.annotations) ? undefined : 'annotations do not match'));
  }
  if (selector) {
    const matches = compileSelector(selector);
    checks.push((_, { metadata }) => (matches(metadata.labels) ? undefined : 'selector does not match'));
  }
  if (namespaceSelector) {
    const matches = compileSelector(namespaceSelector);
    checks.push(({ namespaceLabels }, { kind }) => {
      if (kind === 'Namespace') return 'a namespace selector does not apply to namespaces';
      return matches(namespaceLabels) ? undefined : 'namespace selector does not match';
    });
  }
  return checks;
}

const nameOf = ({ metadata }: KubeObject) => metadata.name || (metadata.generateName ?? '');
const namespaceOf = ({ kind, metadata }: KubeObject) =>
  (kind === 'Namespace' ? metadata.name : metadata.namespace) ?? '';

function userChecks({
  roles,
  clusterRoles,
  subjects,
}: ResourceFilter): readonly ((info: RequestInfo | undefined) => MismatchReason)[] {
  const checks: ((info: RequestInfo | undefined) => MismatchReason)[] = [];
  if (roles?.length) {
    const wanted = new Set(roles);
    checks.push((info) => (info?.roles.some((role) => wanted.has(role)) ? undefined : 'roles do not match'));
  }
  if (clusterRoles?.length) {
    const wanted = new Set(clusterRoles);
    checks.push((info) =>
      info?.clusterRoles.some((role) => wanted.has(role)) ? undefined : 'cluster roles do not match',
    );
  }
  if (subjects?.length) {
    const matchers = subjects.map(compileSubject);
    checks.push((info) => (info && matchers.some((matches) => matches(info)) ? undefined : 'subjects do not match'));
  }
  return checks;
}

function compileSubject({
  kind,
  name,
  namespace = '',
}: {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}): (info: RequestInfo) => boolean {
  switch (kind) {
    case 'ServiceAccount': {
      const matches = compileWildcard(`system:serviceaccount:${namespace}:${name}`);
      return ({ userInfo }) => matches(userInfo.username);
    }
    case 'Group': {
      const matches = compileWildcard(name);
      return ({ userInfo }) => userInfo.groups.some(matches);
    }
    case 'User': {
      const matches = compileWildcard(name);
      return ({ userInfo }) => matches(userInfo.username);
    }
    default:
      return () => false;
  }
}
