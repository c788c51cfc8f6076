import type { Reviewer } from './reviewer.ts';

/** What the address of a review says. */
export interface Route {
  readonly reviewer: Reviewer | undefined;
  /** What follows the reviewer's own part of the path, decoded. */
  readonly route: string;
  readonly timeoutMs: number;
}

/** More addresses than any set of webhooks has; past them the memory begins anew. */
const maxRemembered = 1_000;

/** Reads addresses. The API server asks at a few again and again: each is taken apart once. */
export function createRouter(reviewers: readonly Reviewer[], defaultTimeoutMs: number): (url: string) => Route {
  const byPath = new Map(reviewers.map((reviewer) => [reviewer.path, reviewer]));
  const remembered = new Map<string, Route>();
  return (url) => {
    let route = remembered.get(url);
    if (!route) {
      route = parseRoute(url, byPath, defaultTimeoutMs);
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(url, route);
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

/** Nothing is reviewed where the address makes no sense. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}
