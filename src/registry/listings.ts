import { isJsonObject, type Json, parseJson } from '../base/index.ts';
import { isTag, type Repository, type Tag } from '../image/index.ts';
import { badResponse } from './errors.ts';
import { nextPage } from './http/link.ts';
import { type RegistryResponse, readText } from './http/response.ts';
import type { Transport } from './http/transport.ts';
import { catalogScope, pullScope } from './scopes.ts';

export interface ListOptions {
  /** How many a page is asked for; the registry may give fewer. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal | undefined;
}

const defaultPageSize = 1000;
const maxPageBytes = 16 * 1024 * 1024;
const maxPages = 10_000;
const maxItems = 1_000_000;
/** Pages without an item in a row; some registries filter after they cut pages. */
const maxEmptyPages = 100;

/** The tags of a repository, page by page; a repository that is not there has none. */
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

/** The repositories of a registry, page by page; not every registry tells. */
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
    // A repository that is not there has no tags; a registry without a catalogue is another matter.
    const expect = page === 0 && repository !== undefined ? [200, 404] : [200];
    const { items, response } = await transport.fetch(
      { registry, repository, method: 'GET', path: url, scopes, expect, signal },
      async (answer) => {
        const text = await readText(answer, maxPageBytes);
        return { items: answer.status === 404 ? [] : itemsOf(listing, answer, text), response: answer };
      },
    );
    if (items.length > 0) yield items;
    total += items.length;
    empty = items.length > 0 ? 0 : empty + 1;
    const next = nextOf(response, first, items, pageSize);
    if (next === undefined || next.href === url.href) return;
    seen.add(url.href);
    // A list that does not end is no list: a part of it must not pass for the whole.
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
    throw badResponse(response.line, 'the answer is not JSON; is this a registry?', response.status);
  }
  if (list === undefined || (list !== null && !Array.isArray(list)))
    throw badResponse(response.line, 'the answer holds no list', response.status);
  return ((list ?? []) as readonly Json[]).filter((item): item is T => typeof item === 'string' && isItem(item));
}

/**
 * By the Link header; a full page without one may still have a successor at registries that only know `last`. The
 * next page is asked at the registry itself, wherever the header points.
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
