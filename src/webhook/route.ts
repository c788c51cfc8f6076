import type { Reviewer } from './reviewer.ts';

/** The parsed URL of a review. */
export interface Route {
  readonly reviewer: Reviewer | undefined;
  /** The decoded path after the reviewer's segment. */
  readonly route: string;
  readonly timeoutMs: number;
}

/** More URLs than any set of webhooks has; beyond it the cache is cleared. */
const maxCached = 1_000;

/** Parses URLs, with a cache: the API server uses a few of them again and again. */
export function createRouter(reviewers: readonly Reviewer[], defaultTimeoutMs: number): (url: string) => Route {
  const byPath = new Map(reviewers.map((reviewer) => [reviewer.path, reviewer]));
  const cache = new Map<string, Route>();
  return (url) => {
    let route = cache.get(url);
    if (!route) {
      route = parseRoute(url, byPath, defaultTimeoutMs);
      if (cache.size >= maxCached) cache.clear();
      cache.set(url, route);
    }
    return route;
  };
}

function parseRoute(url: string, reviewers: ReadonlyMap<string, Reviewer>, defaultTimeoutMs: number): Route {
  const question = url.indexOf('?');
  const path = decoded(question === -1 ? url : url.slice(0, question));
  const slash = path.indexOf('/', 1);
  const reviewer = reviewers.get(slash === -1 ? path.slice(1) : path.slice(1, slash));
  const seconds = question === -1 ? null : /[?&]timeout=(\d{1,3})s/.exec(url.slice(question));
  return {
    reviewer,
    route: slash === -1 ? '' : path.slice(slash + 1),
    timeoutMs: seconds ? Number(seconds[1]) * 1000 : defaultTimeoutMs,
  };
}

/** A path that cannot be decoded has no reviewer. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}
