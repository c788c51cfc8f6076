import type { Digest, Repository } from '../image/index.ts';
import { take } from './blobs.ts';
import { badResponse, isRegistryError, RegistryError, safeUrl } from './errors.ts';
import type { RegistryResponse } from './http/response.ts';
import type { Transport } from './http/transport.ts';
import { mountScopes, pushScope } from './scopes.ts';
import { monitorStall } from './stall.ts';
import { VerifiedReader } from './verified-reader.ts';

export interface BlobUpload {
  readonly repository: Repository;
  readonly digest: Digest;
  readonly size: number;
  /** Where the bytes come from, for messages. */
  readonly from?: string | undefined;
  /** The bytes from an offset on; called again when part of them must be sent again. */
  readonly read: (offset: number) => AsyncIterable<Uint8Array>;
  /** A repository of the same registry that has the blob: then no byte travels. */
  readonly mountFrom?: Repository | undefined;
  /** Sends pieces of this size, each in its own request; without it the whole at once. */
  readonly chunkBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How many bytes are with the registry. It goes back when part is sent again. */
  readonly onProgress?: (sentBytes: number) => void;
  readonly onResume?: (offset: number, why: Error) => void;
}

export type UploadOutcome = 'uploaded' | 'mounted';

const fallbackChunkBytes = 32 * 1024 * 1024;

interface Session {
  readonly location: URL;
  readonly minChunkBytes: number;
}

/**
 * Brings a blob into a repository. The bytes are hashed on the way and the last piece is held back until they have the
 * digest, so that a registry that does not check cannot take a wrong blob. After a cut the upload goes on where the
 * registry says it stopped, or begins again.
 */
export async function uploadBlob(transport: Transport, upload: BlobUpload): Promise<UploadOutcome> {
  const release = await take(transport, upload.repository.registry, 'uploads');
  try {
    const begun = await begin(transport, upload);
    if (begun === 'mounted') return begun;
    await sendAll(transport, upload, begun);
    return 'uploaded';
  } finally {
    release();
  }
}

async function begin(transport: Transport, upload: BlobUpload, isRestart = false): Promise<Session | 'mounted'> {
  const { repository, digest, signal } = upload;
  const from = isRestart ? undefined : upload.mountFrom;
  const query = from === undefined ? '' : `?${new URLSearchParams({ mount: digest, from: from.path })}`;
  const request = (search: string, scopes: readonly string[]) =>
    transport.send({
      registry: repository.registry,
      repository: repository.path,
      method: 'POST',
      path: `/v2/${repository.path}/blobs/uploads/${search}`,
      scopes,
      headers: { 'content-length': '0' },
      expect: [201, 202],
      signal,
    });
  let response: RegistryResponse;
  try {
    response = await request(query, from === undefined ? pushScope(repository) : mountScopes(repository, from));
  } catch (thrown) {
    // A registry that minds the mount (or lets us push here but not read there) still takes the bytes.
    if (from === undefined || !isRegistryError(thrown) || thrown.isTemporary) throw thrown;
    response = await request('', pushScope(repository));
  }
  await response.body.dump();
  if (response.status === 201) return 'mounted';
  const { origin } = await transport.endpoint(repository.registry, signal);
  return sessionOf(response, origin);
}

function sessionOf(response: RegistryResponse, origin: string, before?: Session): Session {
  const header = response.headers['location'];
  if (header === undefined && before !== undefined) return before;
  if (header === undefined || !URL.canParse(header, response.url.href))
    throw badResponse(response.line, 'the answer does not say where the upload goes', response.status);
  const location = new URL(header, response.url);
  const home = new URL(origin);
  // Behind a proxy that ends TLS, registries name themselves without it.
  if (location.hostname === home.hostname && home.protocol === 'https:' && location.protocol === 'http:') {
    location.protocol = home.protocol;
    location.port = home.port;
  }
  if (home.protocol === 'https:' && location.protocol !== 'https:')
    throw badResponse(response.line, `an upload address without TLS, ${safeUrl(location)}`, response.status);
  const min = Number(response.headers['oci-chunk-min-length'] ?? 0);
  return { location, minChunkBytes: Number.isSafeInteger(min) ? min : (before?.minChunkBytes ?? 0) };
}

async function sendAll(transport: Transport, upload: BlobUpload, first: Session): Promise<void> {
  const { size, signal, onProgress } = upload;
  const { clock, random, retries } = transport.options;
  const { repository, digest, read, from = `the blob ${digest}` } = upload;
  const reader = new VerifiedReader({ registry: repository.registry, from, digest, size, read });
  let session = first;
  let offset = 0;
  let failures = 0;
  let { chunkBytes } = upload;
  try {
    for (;;) {
      const end =
        chunkBytes === undefined ? size : Math.min(size, offset + Math.max(chunkBytes, session.minChunkBytes));
      try {
        session = await sendPart(transport, upload, { session, reader, offset, end, isLast: end === size });
        if (end === size) return;
        offset = end;
        failures = 0;
      } catch (thrown) {
        const failure = reader.failure ?? thrown;
        if (signal?.aborted) throw signal.reason;
        const isTooLarge = isRegistryError(thrown) && thrown.status === 413 && chunkBytes === undefined;
        if (isTooLarge) chunkBytes = fallbackChunkBytes;
        // What the source could not mend itself is no matter of trying again here, except for wrong bytes, once.
        const wait = isTooLarge ? { afterMs: 0 } : waitAfter(transport, failure, reader);
        if (wait === 'never' || ++failures >= retries.attempts) throw failure;
        const backoff = Math.min(retries.maxMs, retries.baseMs * 2 ** failures) * (0.5 + random() / 2);
        await clock.sleep(wait === 'backoff' ? backoff : wait.afterMs, signal);
        const isFresh = isTooLarge || reader.failure !== undefined;
        if (reader.failure !== undefined) reader.forget();
        const resumed = isFresh ? undefined : await uploadState(transport, upload, session);
        if (resumed !== undefined && resumed.offset <= reader.hashedBytes) ({ session, offset } = resumed);
        else {
          const begun = await begin(transport, upload, true);
          if (begun === 'mounted') return;
          [session, offset] = [begun, 0];
        }
        upload.onResume?.(offset, failure as Error);
        onProgress?.(offset);
      }
    }
  } finally {
    await reader.close();
  }
}

function waitAfter(transport: Transport, failure: unknown, reader: VerifiedReader) {
  if (isRegistryError(failure, 'registry-digest-mismatch') && reader.failure !== undefined)
    return reader.failedVerifications > 1 ? 'never' : transport.waitOf(failure);
  if (reader.failure !== undefined) return 'never';
  // The session is gone (a restarted registry, an expired upload): another can begin.
  if (isRegistryError(failure) && [404, 416, 499].includes(failure.status ?? 0)) return 'backoff';
  // The registry says that what arrived has another digest: bytes were lost on a resumed way.
  if (isRegistryError(failure) && failure.registryCode === 'DIGEST_INVALID') return 'backoff';
  return transport.waitOf(failure);
}

interface Part {
  readonly session: Session;
  readonly reader: VerifiedReader;
  readonly offset: number;
  readonly end: number;
  readonly isLast: boolean;
}

async function sendPart(transport: Transport, upload: BlobUpload, part: Part): Promise<Session> {
  const { repository, digest, onProgress } = upload;
  const { session, reader, offset, end, isLast } = part;
  const url = new URL(session.location);
  if (isLast) url.searchParams.set('digest', digest);
  const watch = monitorStall(transport.options.clock, upload.signal, transport.options.standstill);
  const hasRange = end > offset && !(offset === 0 && isLast);
  try {
    const response = await transport.send({
      registry: repository.registry,
      repository: repository.path,
      method: isLast ? 'PUT' : 'PATCH',
      path: url,
      scopes: pushScope(repository),
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(end - offset),
        ...(hasRange ? { 'content-range': `${offset}-${end - 1}` } : {}),
      },
      body: watch.through(reader.pieces(offset, end, onProgress)),
      expect: isLast ? [201, 204] : [202, 204],
      signal: watch.signal,
      isBulk: true,
    });
    await response.body.dump();
    const { origin } = await transport.endpoint(repository.registry, upload.signal);
    return isLast ? session : sessionOf(response, origin, session);
  } catch (thrown) {
    throw (
      watch.failure({
        registry: repository.registry,
        method: isLast ? 'PUT' : 'PATCH',
        url: `${url.origin}${url.pathname}`,
      }) ?? thrown
    );
  } finally {
    watch.stop();
  }
}

/** Where the registry says the upload stands, or undefined when it must begin again. */
async function uploadState(
  transport: Transport,
  { repository, size, signal }: BlobUpload,
  session: Session,
): Promise<{ readonly session: Session; readonly offset: number } | undefined> {
  try {
    const response = await transport.send({
      registry: repository.registry,
      repository: repository.path,
      method: 'GET',
      path: session.location,
      scopes: pushScope(repository),
      expect: [200, 202, 204],
      signal,
    });
    await response.body.dump();
    const last = /^(?:bytes=)?0-(\d+)$/.exec(response.headers['range'] ?? '')?.[1];
    // "0-0" is one byte or none: nobody can tell.
    if (last === undefined || last === '0' || Number(last) + 1 > size) return undefined;
    const { origin } = await transport.endpoint(repository.registry, signal);
    return { session: sessionOf(response, origin, session), offset: Number(last) + 1 };
  } catch (thrown) {
    if (thrown instanceof RegistryError && !signal?.aborted) return undefined;
    throw thrown;
  }
}
