import { LRUCache } from 'lru-cache';
import { isJsonObject, parseJson } from '../base/index.ts';
import {
  type Descriptor,
  type Digest,
  isPlatformOffered,
  type Platform,
  type Repository,
  type Tag,
} from '../image/index.ts';
import { isRegistryError, type RegistryClient } from '../registry/index.ts';
import { parseCreated } from './age.ts';

/** By the digest of a tag's manifest, whose content never changes. */
export type CreatedCache = LRUCache<string, { readonly createdAtMs: number | undefined }>;

export const createCreatedCache = (): CreatedCache => new LRUCache({ max: 10_000 });

const platform: Platform = { os: 'linux', architecture: 'amd64' };
const maxConfigBytes = 1024 * 1024;

/**
 * When an image was built, from its config. Undefined if the config has no date, or the tag was deleted after it was
 * listed.
 */
export async function readCreated(
  client: RegistryClient,
  repository: Repository,
  tag: string,
  cache: CreatedCache,
  signal: AbortSignal,
): Promise<{ readonly digest?: Digest; readonly createdAtMs?: number | undefined }> {
  const head = await client.headManifest(repository, tag as Tag, signal);
  if (!head) return {};
  const cached = cache.get(head.digest);
  if (cached) return { digest: head.digest, ...cached };
  try {
    const createdAtMs = parseCreated(await readConfigDate(client, repository, head.digest, signal));
    cache.set(head.digest, { createdAtMs });
    return { digest: head.digest, createdAtMs };
  } catch (thrown) {
    if (isRegistryError(thrown) && thrown.code === 'registry-not-found') return {};
    throw thrown;
  }
}

async function readConfigDate(
  client: RegistryClient,
  repository: Repository,
  digest: Digest,
  signal: AbortSignal,
): Promise<unknown> {
  let { manifest } = await client.getManifest(repository, digest, signal);
  const entry = manifest.isIndex ? entryOf(manifest.manifests) : undefined;
  if (entry) ({ manifest } = await client.getManifest(repository, entry.digest, signal));
  const { config } = manifest;
  if (!config || config.size > maxConfigBytes) return undefined;
  const pieces: Buffer[] = [];
  for await (const piece of client.readBlob({ repository, digest: config.digest, size: config.size, signal }))
    pieces.push(piece);
  return dateIn(Buffer.concat(pieces).toString());
}

/** Artifacts have configs of other types, some not JSON: these have no date. */
function dateIn(text: string): unknown {
  try {
    const config = parseJson(text);
    return isJsonObject(config) ? config['created'] : undefined;
  } catch {
    return undefined;
  }
}

const entryOf = (manifests: readonly Descriptor[]): Descriptor | undefined =>
  manifests.find((entry) => entry.platform && isPlatformOffered(platform, entry.platform)) ?? manifests[0];
