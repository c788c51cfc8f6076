import { LRUCache } from 'lru-cache';
import { renderJson } from '../base/index.ts';
import type { DiscoveredType } from '../kube/index.ts';
import { compileKinds, type KindMatcher, type MatchedKind, type RuleProgram } from '../policy/index.ts';
import type { WebhookRule } from '../webhook/index.ts';
import type { ResourceFilters } from './resource-filters.ts';

/** The operations on objects of a kind that a rule needs to see. */
type Interest = (kind: MatchedKind, subresource: string) => ReadonlySet<string>;

/** A kind that no policy can name: a rule that matches it matches every kind. */
const anyKind: MatchedKind = { group: '\u0000', version: '\u0000', kind: '\u0000', resource: '\u0000' };
const none: ReadonlySet<string> = new Set();
/** Subresources with the operation CONNECT. */
const connected = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** The operations that webhooks must cover, as a mask for each group, version, scope and resource. */
export type Coverage = ReadonlyMap<string, number>;

/** What a rule needs of webhooks. Each rule is compiled once. */
export type CoverageOf = (rule: RuleProgram, isNamespaced: boolean) => Coverage;

/** Many policies match the same kinds: their rules share one coverage, which is computed once. */
const maxShared = 1_000;

/** For rules of policies in a cluster that serves these types. */
export function compileCoverage(types: readonly DiscoveredType[], filters: ResourceFilters): CoverageOf {
  const resources = types.flatMap((type) =>
    ['', ...type.subresources]
      .filter((subresource) => !filters.excludesKind(type, subresource))
      .map((subresource) => {
        const name = subresource === '' ? type.resource : `${type.resource}/${subresource}`;
        const key = resourceKey(type.group, type.version, type.namespaced ? 'Namespaced' : 'Cluster', name);
        return { type, subresource, key };
      }),
  );
  const compiled = new WeakMap<RuleProgram, Coverage>();
  const shared = new LRUCache<string, Coverage>({ max: maxShared });
  const compute = (rule: RuleProgram, isNamespaced: boolean): Coverage => {
    if (rule.operationsOn) return coverageOf(rule.operationsOn, isNamespaced, resources);
    const wanted = wantedBy(rule);
    const id = renderJson([isNamespaced, wanted]);
    const coverage = shared.get(id) ?? coverageOf(compileInterest(wanted), isNamespaced, resources);
    shared.set(id, coverage);
    return coverage;
  };
  return (rule, isNamespaced) => {
    const coverage = compiled.get(rule) ?? compute(rule, isNamespaced);
    compiled.set(rule, coverage);
    return coverage;
  };
}

interface Resource {
  readonly type: DiscoveredType;
  readonly subresource: string;
  readonly key: string;
}

function coverageOf(interest: Interest, isNamespaced: boolean, resources: readonly Resource[]): Coverage {
  const coverage = new Map<string, number>();
  const add = (key: string, operations: ReadonlySet<string>) => {
    const mask = maskOf(operations);
    if (mask !== 0) coverage.set(key, (coverage.get(key) ?? 0) | mask);
  };
  const anySubresource = interest(anyKind, '\u0000');
  const anyObject = interest(anyKind, '');
  add(
    resourceKey('*', '*', isNamespaced ? 'Namespaced' : '*', anySubresource.size > 0 ? '*/*' : '*'),
    anySubresource.size > 0 ? anySubresource : anyObject,
  );
  for (const { type, subresource, key } of resources) {
    if (isNamespaced && !type.namespaced) continue;
    if (subresource === '' ? anyObject.size > 0 : anySubresource.size > 0) continue;
    add(key, interest(type, subresource));
  }
  return coverage;
}

/** What all of these need together. */
export function mergeCoverage(parts: Iterable<Coverage>): Coverage {
  const merged = new Map<string, number>();
  for (const part of new Set(parts)) {
    for (const [key, mask] of part) merged.set(key, (merged.get(key) ?? 0) | mask);
  }
  return merged;
}

/** Whether webhooks with this coverage see every request that `needed` asks for. */
export function covers(coverage: Coverage, needed: Coverage): boolean {
  for (const [key, mask] of needed) {
    if (((coverage.get(key) ?? 0) & mask) !== mask) return false;
  }
  return true;
}

/** All that decides which operations a classic rule needs to see. */
interface Wanted {
  readonly phase: RuleProgram['phase'];
  readonly hasDeny: boolean;
  readonly isAny: boolean;
  readonly filters: readonly { readonly kinds: readonly string[]; readonly operations: readonly string[] }[];
}

function wantedBy({ phase, spec }: RuleProgram): Wanted {
  const { match = {}, validate } = spec;
  const filters = match.any?.length ? match.any : match.all?.length ? match.all : [match];
  return {
    phase,
    hasDeny: hasDeny(validate),
    isAny: Boolean(match.any?.length),
    filters: filters.map(({ resources = {} }) => ({
      kinds: resources.kinds ?? [],
      operations: resources.operations ?? [],
    })),
  };
}

function compileInterest(wanted: Wanted): Interest {
  const filters = wanted.filters.map((filter) => compileFilter(wanted, filter));
  return (kind, subresource) => {
    const found = filters.map((interest) => interest(kind, subresource));
    if (wanted.isAny) return new Set(found.flatMap((operations) => [...operations]));
    const [first = none, ...others] = found;
    return new Set([...first].filter((operation) => others.every((operations) => operations.has(operation))));
  };
}

function compileFilter(wanted: Wanted, { kinds, operations }: Wanted['filters'][number]): Interest {
  const matches: KindMatcher = kinds.length > 0 ? compileKinds(kinds) : () => true;
  const written = operations.length > 0 ? new Set(operations) : undefined;
  return (kind, subresource) => {
    if (!matches(kind, subresource)) return none;
    return written ?? new Set(standardOperations(wanted, subresource));
  };
}

/** The operations that apply to a rule that names none. */
function standardOperations({ phase, hasDeny: appliesToDelete }: Wanted, subresource: string): readonly string[] {
  if (connected.has(subresource)) return phase === 'validate' ? ['CONNECT'] : [];
  const writes = ['CREATE', 'UPDATE'];
  if (phase !== 'validate') return writes;
  const isEverything = subresource === '\u0000';
  // Patterns are not evaluated on DELETE: only deny conditions can prevent a deletion.
  return [...writes, ...(appliesToDelete ? ['DELETE'] : []), ...(isEverything ? ['CONNECT'] : [])];
}

function hasDeny(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('deny' in value && value.deny) return true;
  return 'foreach' in value && Array.isArray(value.foreach) && value.foreach.some(hasDeny);
}

const order = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

function maskOf(operations: ReadonlySet<string>): number {
  let mask = 0;
  for (const [bit, operation] of order.entries()) if (operations.has(operation)) mask |= 1 << bit;
  return mask;
}

const resourceKey = (group: string, version: string, scope: WebhookRule['scope'], resource: string) =>
  JSON.stringify([group, version, scope, resource]);

/** The smallest set of webhook rules with this coverage. */
export function renderWebhookRules(coverage: Coverage): readonly WebhookRule[] {
  const resources = new Map<string, string[]>();
  for (const [key, mask] of coverage) {
    const [group, version, scope, resource] = JSON.parse(key) as [string, string, string, string];
    const operations = order.filter((_, bit) => mask & (1 << bit));
    const id = JSON.stringify([group, version, scope, operations]);
    const list = resources.get(id);
    if (list) list.push(resource);
    else resources.set(id, [resource]);
  }
  return [...resources]
    .map(([id, list]): WebhookRule => {
      const [group, version, scope, operations] = JSON.parse(id) as [string, string, WebhookRule['scope'], string[]];
      return { operations, apiGroups: [group], apiVersions: [version], resources: list.sort(), scope };
    })
    .sort((a, b) =>
      JSON.stringify(a.apiGroups.concat(a.apiVersions, a.resources)) <
      JSON.stringify(b.apiGroups.concat(b.apiVersions, b.resources))
        ? -1
        : 1,
    );
}
