import { type Digest, mediaTypes, parseManifest } from '../../image/index.ts';
import { type Context, digestIn, pageOf, send } from './context.ts';
import { OciError } from './errors.ts';

const json = { 'content-type': 'application/json' };

export function listRepositories(context: Context): void {
  const { items, headers } = pageOf(context, context.store.catalog.names(), '/v2/_catalog');
  send(context, 200, { ...json, ...headers }, JSON.stringify({ repositories: items }));
}

export function listTags(context: Context, repository: string): void {
  const { catalog } = context.store;
  if (catalog.get(repository) === undefined) throw new OciError('NAME_UNKNOWN', `there is no repository ${repository}`);
  const { items, headers } = pageOf(context, catalog.tags(repository), `/v2/${repository}/tags/list`);
  send(context, 200, { ...json, ...headers }, JSON.stringify({ name: repository, tags: items }));
}

const maxReferrersPage = 200;

/** The referrers of a manifest, as an index. The manifest itself need not exist. */
export async function listReferrers(context: Context, repository: string, reference: string): Promise<void> {
  const { query, store } = context;
  const subject = digestIn(reference);
  const wanted = query.get('artifactType');
  const path = `/v2/${repository}/referrers/${subject}`;
  const paged = { ...context, limits: { ...context.limits, maxPage: maxReferrersPage } };
  const { items, headers } = pageOf<Digest>(paged, store.catalog.referrers(repository, subject), path);
  const all = await Promise.all(items.map((digest) => describe(context, repository, digest)));
  const manifests = wanted === null ? all : all.filter(({ artifactType }) => artifactType === wanted);
  const filtered = wanted === null ? {} : { 'oci-filters-applied': 'artifactType' };
  send(
    context,
    200,
    { 'content-type': mediaTypes.ociIndex, ...filtered, ...keepFilter(headers, wanted) },
    JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests }),
  );
}

function keepFilter(headers: Readonly<Record<string, string>>, wanted: string | null): Record<string, string> {
  const { link } = headers;
  if (link === undefined) return {};
  return { link: wanted === null ? link : link.replace('>', `&${new URLSearchParams({ artifactType: wanted })}>`) };
}

async function describe({ store }: Context, repository: string, digest: Digest) {
  const bytes = await store.blobs.read(digest);
  const { mediaType, artifactType, config, annotations } = parseManifest(
    bytes,
    store.catalog.get(repository)?.manifests.get(digest)?.mediaType,
  );
  return {
    mediaType,
    digest,
    size: bytes.length,
    artifactType: artifactType ?? config?.mediaType,
    ...(annotations === undefined ? {} : { annotations }),
  };
}
