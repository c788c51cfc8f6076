import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Digest, parseDigest } from '../../image/index.ts';
import type { Store } from '../store/store.ts';
import { OciError } from './errors.ts';

export interface HandlerLimits {
  readonly maxBlobBytes: number;
  readonly maxPage: number;
}

/** One request for a handler. */
export interface Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly store: Store;
  readonly limits: HandlerLimits;
}

export function send(
  { request, response }: Pick<Context, 'request' | 'response'>,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
  body: string | Uint8Array = '',
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...(status === 204 ? {} : { 'content-length': bytes.length }), ...headers });
  response.end(request.method === 'HEAD' || status === 204 ? undefined : bytes);
}

/** The body in pieces. A handler that stops reading can still send a response. */
export function bodyOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

export function digestIn(text: string): Digest {
  try {
    return parseDigest(text);
  } catch (thrown) {
    throw new OciError('DIGEST_INVALID', (thrown as Error).message);
  }
}

/** A page of a sorted list, and the Link header of the next page. */
export function pageOf<T extends string>(
  { query, limits }: Context,
  sorted: readonly T[],
  path: string,
): { readonly items: readonly T[]; readonly headers: Readonly<Record<string, string>> } {
  const wanted = query.get('n');
  if (wanted !== null && !/^\d{1,9}$/.test(wanted))
    throw new OciError('PAGINATION_NUMBER_INVALID', 'n must be a whole number, 0 or more');
  const size = wanted === null ? limits.maxPage : Math.min(Number(wanted), limits.maxPage);
  const last = query.get('last') ?? '';
  const start = last === '' ? 0 : firstAfter(sorted, last);
  const items = sorted.slice(start, start + size);
  const final = items.at(-1);
  if (final === undefined || start + size >= sorted.length) return { items, headers: {} };
  const next = `${path}?${new URLSearchParams({ last: final, n: String(size) })}`;
  return { items, headers: { link: `<${next}>; rel="next"` } };
}

function firstAfter(sorted: readonly string[], last: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}
