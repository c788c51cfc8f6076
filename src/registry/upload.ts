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
  /** Names the source of the bytes in messages. */
  readonly from?: string | undefined;
  /** The bytes from an offset on; called again when some of them must be sent again. */
  readonly read: (offset: number) => AsyncIterable<Uint8Array>;
  /** A repository of the same registry that has the blob, to mount it without a transfer. */
  readonly mountFrom?: Repository | undefined;
  /** Size of the chunks, each sent in its own request. Default: one request for the whole blob. */
  readonly chunkBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Number of bytes that the registry has. It decreases when a part is sent again. */
  readonly onProgress?: (sentBytes: number) => void;
  readonly onResume?: (offset: number, why: Error) => void;
}

export type UploadResult = 'uploaded' | 'mounted';

const fallbackChunkBytes = 32 * 1024 * 1024;

interface Session {
  readonly location: URL;
  readonly minChunkBytes: number;
}

/**
 * Uploads a blob to a repository. The bytes are hashed while they are sent, and the last piece is held back until the
 * digest matches, so that even a registry that does not verify cannot store a wrong blob. After an interruption the
 * upload resumes at the registry's offset, or starts again.
 */
export async function uploadBlob(transport: Transport, upload: BlobUpload): Promise<UploadResult> {
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
    // A registry that rejects the mount (or does not let us read the other repository) may still accept an upload.
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
    throw badResponse(response.line, 'the response has no upload location', response.status);
  const location = new URL(header, response.url);
  const home = new URL(origin);
  // Registries behind a TLS proxy return http:// URLs of themselves.
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
        // Errors of the source are final here, because reading retries by itself. Exception: wrong bytes, once.
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
  // The upload session is gone (a restarted registry, an expired upload): start another.
  if (isRegistryError(failure) && [404, 416, 499].includes(failure.status ?? 0)) return 'backoff';
  // The registry computed another digest: bytes were lost while resuming.
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
  const watch = monitorStall(transport.options.clock, upload.signal, transport.options.stallLimits);
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

/** The registry's offset of the upload; undefined when it must start again. */
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
    // "0-0" is ambiguous: one byte or none.
    if (last === undefined || last === '0' || Number(last) + 1 > size) return undefined;
    const { origin } = await transport.endpoint(repository.registry, signal);
    return { session: sessionOf(response, origin, session), offset: Number(last) + 1 };
  } catch (thrown) {
    if (thrown instanceof RegistryError && !signal?.aborted) return undefined;
    throw thrown;
  }
}
