import { createHasher, type Digest, digestAlgorithm, type Repository, renderRepository } from '../image/index.ts';
import { badResponse, errorFromNetwork, isRegistryError, RegistryError, type RequestLine } from './errors.ts';
import type { RegistryResponse } from './http/response.ts';
import type { Transport } from './http/transport.ts';
import { mismatch } from './manifests.ts';
import { RateFloor } from './rate-floor.ts';
import { deleteScope, pullScope } from './scopes.ts';

const pathOf = (repository: Repository, digest: Digest) => `/v2/${repository.path}/blobs/${digest}`;

/** The size of a blob; undefined when the repository does not have it. */
export async function statBlob(
  transport: Transport,
  repository: Repository,
  digest: Digest,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const response = await transport.send({
    registry: repository.registry,
    repository: repository.path,
    method: 'HEAD',
    path: pathOf(repository, digest),
    scopes: pullScope(repository),
    expect: [200, 404],
    signal,
  });
  await response.body.dump();
  if (response.status === 404) return undefined;
  const size = Number(response.headers['content-length']);
  if (!Number.isSafeInteger(size))
    throw badResponse(response.line, 'the response does not state the size of the blob', 200);
  return size;
}

export async function deleteBlob(
  transport: Transport,
  repository: Repository,
  digest: Digest,
  signal?: AbortSignal,
): Promise<boolean> {
  const response = await transport.send({
    registry: repository.registry,
    repository: repository.path,
    method: 'DELETE',
    path: pathOf(repository, digest),
    scopes: deleteScope(repository),
    expect: [200, 202, 204, 404],
    signal,
  });
  await response.body.dump();
  return response.status !== 404;
}

export interface BlobSource {
  readonly repository: Repository;
  readonly digest: Digest;
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when an interrupted download resumes. */
  readonly onResume?: (offset: number, why: Error) => void;
}

// An attempt that transfers less than this counts as another failure, so that a connection that keeps breaking is given
// up.
const progressBytes = 1024 * 1024;

/**
 * The bytes of a blob from `offset` on. A piece is valid until the next one is requested. An interrupted response is
 * resumed with a range request; the caller does not notice. The bytes are not verified: `readBlob` and uploads do that.
 */
export async function* downloadBlob(transport: Transport, source: BlobSource, offset = 0): AsyncGenerator<Buffer> {
  const { repository, size, signal } = source;
  const { clock, random, retries, rate } = transport.options;
  const slot = await take(transport, repository.registry, 'downloads');
  let at = offset;
  let failures = 0;
  let checkpointAt = at;
  try {
    while (at < size) {
      try {
        const response = await openBlob(transport, source, at);
        const floor = new RateFloor(clock, rate);
        for await (const piece of rest(response, at)) {
          floor.received(piece.length, response.line);
          at += piece.length;
          if (at > size) throw badResponse(response.line, `more than the ${size} bytes that the manifest names`);
          yield piece;
          floor.wait();
        }
        if (at < size) throw cut(response.line, at, size);
      } catch (thrown) {
        // A slow source makes progress too, but must not hold its slot forever.
        if (at - checkpointAt >= progressBytes && !isRegistryError(thrown, 'registry-too-slow')) failures = 0;
        checkpointAt = at;
        const wait = transport.waitOf(thrown);
        if (signal?.aborted) throw signal.reason;
        if (wait === 'never' || ++failures >= retries.attempts) throw thrown;
        source.onResume?.(at, thrown as Error);
        const backoff = Math.min(retries.maxMs, retries.baseMs * 2 ** failures) * (0.5 + random() / 2);
        await clock.sleep(wait === 'backoff' ? backoff : wait.afterMs, signal);
      }
    }
  } finally {
    slot();
  }
}

async function openBlob(
  transport: Transport,
  { repository, digest, signal }: BlobSource,
  at: number,
): Promise<RegistryResponse> {
  const response = await transport.send({
    registry: repository.registry,
    repository: repository.path,
    method: 'GET',
    path: pathOf(repository, digest),
    scopes: pullScope(repository),
    // No content coding: the digest is of the stored bytes.
    headers: { 'accept-encoding': 'identity', ...(at === 0 ? {} : { range: `bytes=${at}-` }) },
    expect: [200, 206],
    signal,
    isBulk: true,
  });
  const start = /^bytes (\d+)-/.exec(response.headers['content-range'] ?? '')?.[1];
  if (response.status === 206 && Number(start) !== at) {
    await response.body.dump();
    throw badResponse(response.line, `requested the bytes from ${at} on, got those from ${start}`, 206);
  }
  return response;
}

/** The body from `at` on, also when the registry ignores ranges and sends the whole blob. */
async function* rest({ body, status, line }: RegistryResponse, at: number): AsyncGenerator<Buffer> {
  let skip = status === 206 ? 0 : at;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      if (skip >= piece.length) skip -= piece.length;
      else {
        yield skip === 0 ? piece : piece.subarray(skip);
        skip = 0;
      }
    }
  } catch (thrown) {
    throw errorFromNetwork(thrown, line);
  }
}

const cut = (line: RequestLine, at: number, size: number) =>
  new RegistryError(
    'registry-unreachable',
    `${line.method} ${line.url}: the response ended after ${at} of ${size} bytes`,
    {
      ...line,
      retry: 'backoff',
    },
  );

/** The verified bytes of a blob: the last piece is returned only when the digest of the whole matches. */
export async function* readBlob(transport: Transport, source: BlobSource): AsyncGenerator<Buffer> {
  const { repository, digest, size } = source;
  const hasher = createHasher(digestAlgorithm(digest));
  for await (const piece of downloadBlob(transport, source)) {
    hasher.update(piece);
    if (hasher.size === size && hasher.digest() !== digest)
      throw mismatch(
        { registry: repository.registry, method: 'GET', url: `${renderRepository(repository)}/blobs/${digest}` },
        digest,
        hasher.digest(),
      );
    // The piece's buffer is reused; the reader gets a copy.
    yield Buffer.from(piece);
  }
}

/** Takes a slot in one of a registry's lanes. Call the returned function to release it. */
export function take(transport: Transport, registry: string, lane: 'downloads' | 'uploads'): Promise<() => void> {
  return new Promise((taken, failed) => {
    transport
      .lanes(registry)
      [lane].run(() => new Promise<void>((release) => taken(release)))
      .catch(failed);
  });
}
