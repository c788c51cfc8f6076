import { type Digest, isDigest, isRepositoryPath } from '../../image/index.ts';
import type { Upload } from '../store/uploads.ts';
import { bodyOf, type Context, digestIn, send } from './context.ts';
import { OciError } from './errors.ts';

/** POST: starts an upload, mounts a blob of another repository, or accepts a whole blob at once. */
export async function beginUpload(context: Context, repository: string): Promise<void> {
  const { request, query, store } = context;
  if (request.method !== 'POST') throw new OciError('UNSUPPORTED', 'an upload is begun by POST');
  if (await mount(context, repository)) return;
  const digest = query.get('digest');
  const wanted = digest === null ? undefined : digestIn(digest);
  const upload = await store.uploads.start(repository);
  if (upload === undefined)
    throw new OciError('TOOMANYREQUESTS', 'too many uploads are under way', { headers: { 'retry-after': '5' } });
  if (wanted === undefined) return announce(context, upload, 202);
  return upload.exclusively(async () => {
    await append(context, upload);
    await complete(context, upload, wanted);
  });
}

async function mount(context: Context, repository: string): Promise<boolean> {
  const { query, store } = context;
  const [wanted, from] = [query.get('mount'), query.get('from')];
  if (wanted === null || from === null || !isDigest(wanted) || !isRepositoryPath(from)) return false;
  if (!store.catalog.get(from)?.blobs.has(wanted) || (await store.blobs.size(wanted)) === undefined) return false;
  await store.change({ repository, put: 'blob', digest: wanted });
  created(context, repository, wanted);
  return true;
}

/** PATCH, PUT, GET and DELETE of an upload session. */
export async function handleUpload(context: Context, repository: string, id: string): Promise<void> {
  const { request, query, store } = context;
  const upload = store.uploads.get(repository, id);
  if (upload === undefined)
    throw new OciError('BLOB_UPLOAD_UNKNOWN', `${repository} has no upload ${id.slice(0, 40)}; begin another`);
  const digest = request.method === 'PUT' ? digestIn(query.get('digest') ?? '') : undefined;
  await upload.exclusively(async () => {
    // An earlier request in the queue may have ended the upload.
    if (store.uploads.get(repository, id) === undefined)
      throw new OciError('BLOB_UPLOAD_UNKNOWN', 'the upload has ended; begin another');
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return announce(context, upload, 204);
      case 'DELETE':
        await store.uploads.cancel(upload);
        return send(context, 204);
      case 'PATCH':
        await append(context, upload);
        return announce(context, upload, 202);
      case 'PUT':
        await append(context, upload);
        return complete(context, upload, digest!);
      default:
        throw new OciError('UNSUPPORTED', 'an upload is continued by PATCH and ended by PUT');
    }
  });
}

async function append({ request, store, limits }: Context, upload: Upload): Promise<void> {
  const range = request.headers['content-range'];
  const length = request.headers['content-length'];
  const refuse = (message: string, status: number) =>
    new OciError('BLOB_UPLOAD_INVALID', message, { status, headers: stateOf(upload) });
  if (range !== undefined) {
    const [, start, end] = /^(?:bytes )?(\d{1,15})-(\d{1,15})(?:\/.*)?$/.exec(range) ?? [];
    if (start === undefined || end === undefined) throw refuse('Content-Range must be <first>-<last>', 400);
    if (Number(start) !== upload.offset) throw refuse(`the next byte is ${upload.offset}`, 416);
    if (length !== undefined && Number(length) !== Number(end) - Number(start) + 1)
      throw refuse('Content-Range and Content-Length differ', 400);
  }
  if (length !== undefined && upload.offset + Number(length) > limits.maxBlobBytes) throw tooLarge(limits.maxBlobBytes);
  if ((await upload.append(bodyOf(request), limits.maxBlobBytes)) === 'too-large') {
    await store.uploads.cancel(upload);
    throw tooLarge(limits.maxBlobBytes);
  }
}

const tooLarge = (max: number) => new OciError('SIZE_INVALID', `a blob may have ${max} bytes here`, { status: 413 });

async function complete(context: Context, upload: Upload, wanted: Digest): Promise<void> {
  const { store } = context;
  const { repository, file } = upload;
  const actual = await upload.digest(wanted);
  if (actual !== wanted) {
    await store.uploads.cancel(upload);
    throw new OciError('DIGEST_INVALID', `the bytes have the digest ${actual}, not ${wanted}`, { detail: { actual } });
  }
  await store.uploads.finish(upload);
  await store.blobs.adopt(file, wanted);
  await store.change({ repository, put: 'blob', digest: wanted });
  created(context, repository, wanted);
}

function created(context: Context, repository: string, digest: Digest): void {
  send(context, 201, { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest });
}

function announce(context: Context, upload: Upload, status: number): void {
  send(context, status, stateOf(upload));
}

function stateOf({ repository, id, offset }: Upload): Record<string, string> {
  return {
    location: `/v2/${repository}/blobs/uploads/${id}`,
    // In Docker's format, 0-0 also means no bytes.
    range: `0-${Math.max(0, offset - 1)}`,
    'docker-upload-uuid': id,
  };
}
