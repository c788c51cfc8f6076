import { type Clock, type Logger, silentLogger, systemClock } from '../base/index.ts';
import { type GroupVersionKind, type GroupVersionResource, renderApiVersion } from '../object/index.ts';
import {
  type DiscoveredType,
  type DiscoveryFailure,
  type DiscoveryResult,
  type DiscoverySource,
  fetchDiscovery,
} from './discovery-fetch.ts';
import type { CallOptions } from './types.ts';

/**
 * The types that the server serves, cached. A miss refreshes the cache, but at most every `minRefreshMs`: a new CRD is
 * found quickly, and an unknown kind costs no request.
 */
export interface Discovery {
  /**
   * `Pod`, `v1/Pod`, `apps/Deployment`, `apps/v1/Deployment`, or the parts; the preferred version where none is named.
   */
  byKind(kind: GroupVersionKind | string, options?: CallOptions): Promise<DiscoveredType | undefined>;
  /**
   * As kubectl parses it: `pods`, `pod`, `po`, `deployments.apps`, `deployments.v1.apps`, in any case; or the parts.
   */
  byResource(resource: GroupVersionResource | string, options?: CallOptions): Promise<DiscoveredType | undefined>;
  /** Every type of every version, as last fetched. */
  list(options?: CallOptions): Promise<readonly DiscoveredType[]>;
  /** Versions that failed in the last fetch. Their previously known types are still served. */
  readonly failures: readonly DiscoveryFailure[];
  /** The next look-up requests the server again. */
  invalidate(): void;
}

interface DiscoveryOptions {
  readonly source: DiscoverySource;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly minRefreshMs?: number;
}

export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { source, log = silentLogger, clock = systemClock, minRefreshMs = 10_000 } = options;
  let known: DiscoveryResult | undefined;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let isInvalid = false;
  let fetching: Promise<DiscoveryResult> | undefined;

  const refresh = async (): Promise<DiscoveryResult> => {
    try {
      const fresh = await fetchDiscovery(source);
      for (const { message, ...gv } of fresh.failures) {
        log.warn('API not available for discovery', { apiVersion: renderApiVersion(gv), error: message });
      }
      known = keepUnavailable(known, fresh);
      isInvalid = false;
      fetchedAtMs = clock.monotonicMs();
      return known;
    } finally {
      fetching = undefined;
    }
  };
  const load = async (mayUseKnown: boolean, signal: AbortSignal | undefined): Promise<DiscoveryResult> => {
    const isRecent = clock.monotonicMs() - fetchedAtMs < minRefreshMs;
    if (known !== undefined && !isInvalid && (mayUseKnown || isRecent)) return known;
    signal?.throwIfAborted();
    // Shared by all waiting callers, so it is not bound to one caller's signal; the client's timeout limits it.
    fetching ??= refresh();
    return await fetching;
  };
  const find = async (matchers: readonly Matcher[], given: CallOptions = {}): Promise<DiscoveredType | undefined> => {
    const before = await load(true, given.signal);
    const found = best(before.types, matchers);
    if (found) return found;
    const after = await load(false, given.signal);
    return after === before ? undefined : best(after.types, matchers);
  };

  return {
    byKind: (kind, given) => find([kindMatcher(kind)], given),
    byResource: (resource, given) =>
      find(typeof resource === 'string' ? resourceMatchers(resource) : [partsMatcher(resource)], given),
    list: async (given = {}) => (await load(true, given.signal)).types,
    get failures() {
      return known?.failures ?? [];
    },
    invalidate() {
      isInvalid = true;
    },
  };
}

type Matcher = (type: DiscoveredType) => boolean;

/** Uses the first matcher that finds anything: the first type of a preferred version, else the first of any. */
function best(types: readonly DiscoveredType[], matchers: readonly Matcher[]): DiscoveredType | undefined {
  for (const matches of matchers) {
    const found = types.find((type) => type.isPreferredVersion && matches(type)) ?? types.find(matches);
    if (found) return found;
  }
  return undefined;
}

function keepUnavailable(before: DiscoveryResult | undefined, fresh: DiscoveryResult): DiscoveryResult {
  const has = new Set(fresh.types.map(renderApiVersion));
  const missing = new Set(fresh.failures.map(renderApiVersion).filter((gv) => !has.has(gv)));
  const kept = (before?.types ?? []).filter((type) => missing.has(renderApiVersion(type)));
  return kept.length === 0 ? fresh : { ...fresh, types: [...fresh.types, ...kept] };
}

const isVersion = (word: string): boolean => /^v\d+((alpha|beta)\d+)?$/.test(word);

function kindMatcher(wanted: GroupVersionKind | string): Matcher {
  if (typeof wanted !== 'string') {
    return (type) => type.kind === wanted.kind && type.group === wanted.group && type.version === wanted.version;
  }
  const [kind = '', ...rest] = wanted.split('/').reverse();
  const [first, second] = rest.reverse();
  if (first === undefined) return (type) => type.kind === kind;
  if (second !== undefined) {
    return (type) => type.kind === kind && type.group === first && type.version === second;
  }
  if (isVersion(first)) return (type) => type.kind === kind && type.group === '' && type.version === first;
  return (type) => type.kind === kind && type.group === first;
}

const partsMatcher =
  (wanted: GroupVersionResource): Matcher =>
  (type) =>
    type.resource === wanted.resource && type.group === wanted.group && type.version === wanted.version;

/** In the order of precedence: exact names win over names without their group, as in kubectl. */
function resourceMatchers(text: string): Matcher[] {
  const [name = '', ...rest] = text.toLowerCase().split('.');
  const isCalled: Matcher = (type) =>
    type.resource === name || type.singular === name || type.shortNames.includes(name);
  if (rest.length === 0) return [(type) => type.resource === name, isCalled];
  const [version = '', ...groupWords] = rest;
  const group = rest.join('.');
  const matchers: Matcher[] = [(type) => isCalled(type) && type.group === group];
  if (isVersion(version)) {
    const versioned = groupWords.join('.');
    matchers.push((type) => isCalled(type) && type.version === version && type.group === versioned);
  }
  return matchers;
}
