import {
  type Descriptor,
  type Digest,
  digestAlgorithm,
  digestOf,
  ImageError,
  isDigest,
  isForeignLayerType,
  isTag,
  type Manifest,
  maxManifestBytes,
  parseManifest,
  type Tag,
} from '../../image/index.ts';
import type { Change } from '../store/catalog.ts';
import { bodyOf, type Context, digestIn, send } from './context.ts';
import { OciError } from './errors.ts';

export async function handleManifest(context: Context, repository: string, reference: string): Promise<void> {
  const { request } = context;
  if (reference.includes(':')) digestIn(reference);
  else if (!isTag(reference)) throw new OciError('TAG_INVALID', 'that is no tag');
  if (request.method === 'PUT') return putManifest(context, repository, reference);
  if (request.method === 'DELETE') return deleteManifest(context, repository, reference);
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new OciError('UNSUPPORTED', 'not for manifests');
  const { digest, mediaType } = find(context, repository, reference);
  const headers = { 'docker-content-digest': digest, 'content-type': mediaType, etag: `"${digest}"` };
  if (request.method === 'GET') return send(context, 200, headers, await context.store.blobs.read(digest));
  send(context, 200, { ...headers, 'content-length': (await context.store.blobs.size(digest)) ?? 0 });
}

function find({ store }: Context, repository: string, reference: string): { digest: Digest; mediaType: string } {
  const entry = store.catalog.get(repository);
  if (entry === undefined) throw new OciError('NAME_UNKNOWN', `there is no repository ${repository}`);
  const digest = isDigest(reference) ? reference : entry.tags.get(reference as Tag);
  const known = digest === undefined ? undefined : entry.manifests.get(digest);
  if (digest === undefined || known === undefined)
    throw new OciError('MANIFEST_UNKNOWN', `${repository} has no manifest ${reference}`);
  return { digest, mediaType: known.mediaType };
}

async function putManifest(context: Context, repository: string, reference: string): Promise<void> {
  const { request, store } = context;
  const bytes = await readBody(context);
  const digest = digestOf(bytes, isDigest(reference) ? digestAlgorithm(reference) : 'sha256');
  if (isDigest(reference) && digest !== reference)
    throw new OciError('DIGEST_INVALID', `the manifest has the digest ${digest}, not ${reference}`);
  const manifest = parse(bytes, request.headers['content-type']);
  await checkPresent(context, repository, manifest);
  await store.blobs.write(digest, bytes);
  const subject = manifest.subject?.digest;
  const { mediaType } = manifest;
  const changes: Change[] = [
    { repository, put: 'manifest', digest, mediaType, ...(subject === undefined ? {} : { subject }) },
  ];
  if (!isDigest(reference)) changes.push({ repository, put: 'tag', tag: reference as Tag, digest });
  await store.change(...changes);
  send(context, 201, {
    location: `/v2/${repository}/manifests/${digest}`,
    'docker-content-digest': digest,
    ...(subject === undefined ? {} : { 'oci-subject': subject }),
  });
}

function parse(bytes: Buffer, contentType: string | undefined): Manifest {
  try {
    return parseManifest(bytes, contentType);
  } catch (thrown) {
    if (thrown instanceof ImageError) throw new OciError('MANIFEST_INVALID', thrown.message);
    throw thrown;
  }
}

/**
 * Invariant of the registry: a client that can pull a manifest can pull everything it names. A subject may be pushed
 * later.
 */
async function checkPresent({ store }: Context, repository: string, manifest: Manifest): Promise<void> {
  const entry = store.catalog.get(repository);
  const isMissing = async (blob: Descriptor) =>
    !(isForeignLayerType(blob.mediaType) && blob.hasUrls) &&
    !(entry?.blobs.has(blob.digest) && (await store.blobs.size(blob.digest)) === blob.size);
  for (const blob of manifest.blobs) {
    if (await isMissing(blob))
      throw new OciError(
        'MANIFEST_BLOB_UNKNOWN',
        `the blob ${blob.digest} of ${blob.size} bytes is not in ${repository}`,
      );
  }
  const child = manifest.manifests.find(({ digest }) => !entry?.manifests.has(digest));
  if (child !== undefined)
    throw new OciError('MANIFEST_BLOB_UNKNOWN', `the manifest ${child.digest} is not in ${repository}`);
}

async function deleteManifest(context: Context, repository: string, reference: string): Promise<void> {
  const { digest } = find(context, repository, reference);
  await context.store.change(
    isDigest(reference)
      ? { repository, remove: 'manifest', digest }
      : { repository, remove: 'tag', tag: reference as Tag },
  );
  send(context, 202);
}

async function readBody({ request }: Context): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bodyOf(request)) {
    size += piece.length;
    if (size > maxManifestBytes)
      throw new OciError('SIZE_INVALID', `a manifest may have ${maxManifestBytes} bytes`, { status: 413 });
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}
