import { pipeline } from 'node:stream/promises';
import { type Context, digestIn, send } from './context.ts';
import { OciError } from './errors.ts';
import { parseRange } from './range.ts';

/** GET, HEAD and DELETE of a blob that is linked in the repository. */
export async function handleBlob(context: Context, repository: string, reference: string): Promise<void> {
  const { request, response, store } = context;
  const digest = digestIn(reference);
  const size = store.catalog.get(repository)?.blobs.has(digest) ? await store.blobs.size(digest) : undefined;
  if (size === undefined) throw new OciError('BLOB_UNKNOWN', `${repository} has no blob ${digest}`);
  if (request.method === 'DELETE') {
    await store.change({ repository, remove: 'blob', digest });
    return send(context, 202);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new OciError('UNSUPPORTED', 'blobs are read or deleted');
  const common = {
    'docker-content-digest': digest,
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    etag: `"${digest}"`,
    'cache-control': 'max-age=31536000',
  };
  const range = request.method === 'GET' ? parseRange(request.headers.range, size) : 'whole';
  if (range === 'unsatisfiable') {
    const headers = { 'content-range': `bytes */${size}` };
    throw new OciError('SIZE_INVALID', `the blob has ${size} bytes`, { status: 416, headers });
  }
  const [start, end] = range === 'whole' ? [0, size - 1] : [range.start, range.end];
  response.writeHead(range === 'whole' ? 200 : 206, {
    ...common,
    'content-length': end - start + 1,
    ...(range === 'whole' ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD' || end < start) return void response.end();
  await pipeline(store.blobs.stream(digest, start, end), response);
}
