import {
  type Digest,
  digestAlgorithm,
  digestOf,
  ImageError,
  isDigest,
  type Manifest,
  maxManifestBytes,
  mediaTypes,
  parseManifest,
  type Repository,
  type Tag,
} from '../image/index.ts';
import { RegistryError, type RequestLine } from './errors.ts';
import { type RegistryResponse, readBytes } from './http/response.ts';
import type { Transport } from './http/transport.ts';
import { deleteScope, pullScope, pushScope } from './scopes.ts';

/** What a HEAD request returns about a manifest. */
export interface ManifestHead {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly size: number;
}

/** A manifest with the exact bytes of its digest. */
export interface FetchedManifest extends ManifestHead {
  readonly bytes: Uint8Array;
  readonly manifest: Manifest;
}

// Schema 1 is accepted only to reject it by name instead of with a 404.
const accept = [
  mediaTypes.ociIndex,
  mediaTypes.ociManifest,
  mediaTypes.dockerList,
  mediaTypes.dockerManifest,
  mediaTypes.ociArtifact,
  `${mediaTypes.dockerSchema1Signed};q=0.1`,
  '*/*;q=0.1',
].join(', ');

const pathOf = (repository: Repository, reference: Tag | Digest) => `/v2/${repository.path}/manifests/${reference}`;

/** Undefined when there is no such manifest. */
export async function headManifest(
  transport: Transport,
  repository: Repository,
  reference: Tag | Digest,
  signal?: AbortSignal,
): Promise<ManifestHead | undefined> {
  const response = await transport.send({
    registry: repository.registry,
    repository: repository.path,
    method: 'HEAD',
    path: pathOf(repository, reference),
    scopes: pullScope(repository),
    headers: { accept },
    expect: [200, 404],
    signal,
  });
  await response.body.dump();
  if (response.status === 404) return undefined;
  const digest = response.headers['docker-content-digest'];
  const size = Number(response.headers['content-length']);
  const mediaType = response.headers['content-type']?.split(';')[0]?.trim() ?? '';
  // Not every registry sends the digest; it can be computed from the bytes.
  if (digest === undefined || !isDigest(digest) || !Number.isSafeInteger(size))
    return getManifest(transport, repository, reference, signal);
  if (isDigest(reference) && digest !== reference) throw mismatch(response.line, reference, digest);
  return { digest, mediaType, size };
}

export async function getManifest(
  transport: Transport,
  repository: Repository,
  reference: Tag | Digest,
  signal?: AbortSignal,
): Promise<FetchedManifest> {
  return transport.fetch(
    {
      registry: repository.registry,
      repository: repository.path,
      method: 'GET',
      path: pathOf(repository, reference),
      scopes: pullScope(repository),
      headers: { accept },
      expect: [200],
      signal,
    },
    async (response) => checked(response, reference, await readBytes(response, maxManifestBytes)),
  );
}

function checked(response: RegistryResponse, reference: Tag | Digest, bytes: Buffer): FetchedManifest {
  const stated = response.headers['docker-content-digest'];
  const wanted = isDigest(reference) ? reference : stated !== undefined && isDigest(stated) ? stated : undefined;
  const digest = digestOf(bytes, wanted === undefined ? 'sha256' : digestAlgorithm(wanted));
  if (wanted !== undefined && digest !== wanted) throw mismatch(response.line, wanted, digest);
  const mediaType = response.headers['content-type'];
  try {
    const manifest = parseManifest(bytes, mediaType);
    return { digest, mediaType: manifest.mediaType, size: bytes.length, bytes, manifest };
  } catch (thrown) {
    if (thrown instanceof ImageError)
      throw new RegistryError(
        thrown.code === 'image-manifest-schema1' ? 'registry-unsupported' : 'registry-bad-response',
        `${response.line.url}: ${thrown.message}`,
        response.line,
      );
    throw thrown;
  }
}

export interface PutResult {
  readonly digest: Digest;
  /** False when the registry does not maintain referrers; then the client maintains the referrers tag. */
  readonly isSubjectKnown: boolean;
}

export async function putManifest(
  transport: Transport,
  repository: Repository,
  reference: Tag | Digest,
  { bytes, mediaType, digest }: Pick<FetchedManifest, 'bytes' | 'mediaType' | 'digest'>,
  signal?: AbortSignal,
): Promise<PutResult> {
  const response = await transport.send({
    registry: repository.registry,
    repository: repository.path,
    method: 'PUT',
    path: pathOf(repository, reference),
    scopes: pushScope(repository),
    headers: { 'content-type': mediaType },
    body: bytes,
    expect: [200, 201, 202],
    signal,
  });
  await response.body.dump();
  const stated = response.headers['docker-content-digest'];
  if (
    stated !== undefined &&
    isDigest(stated) &&
    digestAlgorithm(stated) === digestAlgorithm(digest) &&
    stated !== digest
  )
    throw mismatch(response.line, digest, stated);
  return { digest, isSubjectKnown: response.headers['oci-subject'] !== undefined };
}

/** Returns true when the manifest existed. */
export async function deleteManifest(
  transport: Transport,
  repository: Repository,
  reference: Tag | Digest,
  signal?: AbortSignal,
): Promise<boolean> {
  const response = await transport.send({
    registry: repository.registry,
    repository: repository.path,
    method: 'DELETE',
    path: pathOf(repository, reference),
    scopes: deleteScope(repository),
    expect: [200, 202, 204, 404],
    signal,
  });
  await response.body.dump();
  return response.status !== 404;
}

export function mismatch(line: RequestLine, wanted: Digest, actual: Digest): RegistryError {
  // Retried: the cause is usually a cache or a proxy in between.
  return new RegistryError(
    'registry-digest-mismatch',
    `${line.method} ${line.url}: the bytes have the digest ${actual}, not ${wanted}`,
    {
      ...line,
      retry: 'backoff',
    },
  );
}
