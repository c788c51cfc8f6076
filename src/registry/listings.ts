import { isJsonObject, type Json, parseJson } from '../base/index.ts';
import { isTag, type Repository, type Tag } from '../image/index.ts';
import { badResponse } from './errors.ts';
import { nextPage } from './http/link.ts';
import { type RegistryResponse, readText } from './http/response.ts';
import type { Transport } from './http/transport.ts';
import { catalogScope, pullScope } from './scopes.ts';

export interface ListOptions {
  /** Requested page size; the registry may return fewer. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal | undefined;
}

const defaultPageSize = 1000;
const maxPageBytes = 16 * 1024 * 1024;
const maxPages = 10_000;
const maxItems = 1_000_000;
/** Limit of consecutive empty pages; some registries filter after paging. */
const maxEmptyPages = 100;

/** The tags of a repository, page by page; none when the repository does not exist. */
export function listTags(
  transport: Transport,
  repository: Repository,
  options: ListOptions = {},
): AsyncGenerator<readonly Tag[]> {
  return pages(transport, {
    ...options,
    registry: repository.registry,
    repository: repository.path,
    path: `/v2/${repository.path}/tags/list`,
    scopes: pullScope(repository),
    read: (body) => (isJsonObject(body) ? (body['tags'] ?? []) : undefined),
    isItem: isTag,
  });
}

/** The repositories of a registry, page by page. Not every registry supports it. */
export function listRepositories(
  transport: Transport,
  registry: string,
  options: ListOptions = {},
): AsyncGenerator<readonly string[]> {
  return pages(transport, {
    ...options,
    registry,
    path: '/v2/_catalog',
    scopes: catalogScope,
    read: (body) => (isJsonObject(body) ? (body['repositories'] ?? []) : undefined),
    isItem: (text): text is string => text !== '',
  });
}

interface Listing<T extends string> extends ListOptions {
  readonly registry: string;
  readonly repository?: string;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly read: (body: Json) => Json | undefined;
  readonly isItem: (text: string) => text is T;
}

async function* pages<T extends string>(transport: Transport, listing: Listing<T>): AsyncGenerator<readonly T[]> {
  const { registry, repository, scopes, pageSize = defaultPageSize, signal } = listing;
  const { origin } = await transport.endpoint(registry, signal);
  const first = new URL(`${listing.path}?n=${pageSize}`, origin);
  let url = first;
  const seen = new Set<string>();
  let [total, empty] = [0, 0];
  for (let page = 0; page < maxPages; page++) {
    // A repository that does not exist has no tags. A registry without a catalog is an error.
    const expect = page === 0 && repository !== undefined ? [200, 404] : [200];
    const { items, response } = await transport.fetch(
      { registry, repository, method: 'GET', path: url, scopes, expect, signal },
      async (received) => {
        const text = await readText(received, maxPageBytes);
        return { items: received.status === 404 ? [] : itemsOf(listing, received, text), response: received };
      },
    );
    if (items.length > 0) yield items;
    total += items.length;
    empty = items.length > 0 ? 0 : empty + 1;
    const next = nextOf(response, first, items, pageSize);
    if (next === undefined || next.href === url.href) return;
    seen.add(url.href);
    // An endless list is an error: a part of it must not pass for the whole.
    if (seen.has(next.href) || total > maxItems || empty > maxEmptyPages || page + 1 === maxPages)
      throw badResponse(response.line, `the list does not end (${page + 1} pages, ${total} items)`, response.status);
    url = next;
  }
}

function itemsOf<T extends string>({ read, isItem }: Listing<T>, response: RegistryResponse, text: string): T[] {
  let list: Json | undefined;
  try {
    list = read(parseJson(text));
  } catch {
    throw badResponse(response.line, 'the response is not JSON; is this a registry?', response.status);
  }
  if (list === undefined || (list !== null && !Array.isArray(list)))
    throw badResponse(response.line, 'the response contains no list', response.status);
  return ((list ?? []) as readonly Json[]).filter((item): item is T => typeof item === 'string' && isItem(item));
}

/**
 * The next page by the Link header. A full page without one may still have a successor at registries that only support
 * `last`. The next page is always requested from the registry itself, wherever the header points.
 */
function nextOf(response: RegistryResponse, first: URL, items: readonly string[], pageSize: number): URL | undefined {
  const linked = nextPage(response.headers['link'], response.url);
  if (linked !== undefined) return new URL(`${linked.pathname}${linked.search}`, first);
  const last = items.at(-1);
  if (last === undefined || items.length !== pageSize) return undefined;
  const next = new URL(first);
  next.searchParams.set('last', last);
  return next;
}
