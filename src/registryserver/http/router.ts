import { isRepositoryPath } from '../../image/index.ts';
import { handleBlob } from './blobs.ts';
import { type Context, send } from './context.ts';
import { OciError } from './errors.ts';
import { listReferrers, listRepositories, listTags } from './listings.ts';
import { handleManifest } from './manifests.ts';
import { beginUpload, handleUpload } from './uploads.ts';

type Handler = (context: Context, repository: string, rest: string) => void | Promise<void>;

// The order matters: `uploads` is not a digest, and a repository's own name may end in any of these words.
const routes: readonly (readonly [RegExp, Handler])[] = [
  [/^\/v2\/(.+)\/blobs\/uploads\/?$/, beginUpload],
  [/^\/v2\/(.+)\/blobs\/uploads\/([^/]+)$/, handleUpload],
  [/^\/v2\/(.+)\/blobs\/([^/]+)$/, handleBlob],
  [/^\/v2\/(.+)\/manifests\/([^/]+)$/, handleManifest],
  [/^\/v2\/(.+)\/tags\/list$/, reading(listTags)],
  [/^\/v2\/(.+)\/referrers\/([^/]+)$/, reading(listReferrers)],
];

function reading(handler: Handler): Handler {
  return (context, repository, rest) => {
    onlyReads(context);
    return handler(context, repository, rest);
  };
}

function onlyReads({ request }: Context): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new OciError('UNSUPPORTED', 'this is read only');
}

export async function route(context: Context, path: string): Promise<void> {
  if (path === '/v2/' || path === '/v2') {
    onlyReads(context);
    return send(context, 200, { 'content-type': 'application/json' }, '{}');
  }
  if (path === '/v2/_catalog') {
    onlyReads(context);
    return listRepositories(context);
  }
  for (const [pattern, handler] of routes) {
    const found = pattern.exec(path);
    if (!found) continue;
    const [, repository = '', rest = ''] = found;
    if (!isRepositoryPath(repository)) throw new OciError('NAME_INVALID', 'that is no name of a repository');
    return handler(context, repository, rest);
  }
  throw new OciError('UNSUPPORTED', 'there is nothing here', { status: 404 });
}
