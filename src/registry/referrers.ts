import { LRUCache } from 'lru-cache';
import { isJsonObject } from '../base/index.ts';
import {
  type Descriptor,
  type Digest,
  digestAlgorithm,
  digestHex,
  digestOf,
  maxManifestBytes,
  mediaTypes,
  parseManifest,
  type Repository,
  renderRepository,
  type Tag,
} from '../image/index.ts';
import { badResponse, isRegistryError } from './errors.ts';
import { nextPage } from './http/link.ts';
import { readBytes } from './http/response.ts';
import type { Transport } from './http/transport.ts';
import { type FetchedManifest, getManifest, headManifest, putManifest } from './manifests.ts';
import { pullScope } from './scopes.ts';

/** The referrers tag, for registries without the referrers API. */
export function referrersTag(subject: Digest): Tag {
  return `${digestAlgorithm(subject)}-${digestHex(subject).slice(0, 64)}` as Tag;
}

const maxPages = 100;
/** Far more than an image has in practice; the rest of a longer list is ignored. */
export const maxReferrers = 1000;

/** The referrers of a manifest (signatures, SBOMs), by the API or, at registries without it, by the referrers tag. */
export class Referrers {
  /** By repository: a registry with the API may still return 404 for a repository that does not exist. */
  private readonly hasApi = new LRUCache<string, boolean>({ max: 10_000 });
  /** One writer of an index at a time; registries have no conditional writes. */
  private readonly writing = new Map<string, Promise<unknown>>();

  constructor(private readonly transport: Transport) {}

  async list(repository: Repository, subject: Digest, signal?: AbortSignal): Promise<readonly Descriptor[]> {
    if (this.hasApi.get(renderRepository(repository)) !== false) {
      const found = await this.byApi(repository, subject, signal);
      if (found !== undefined) return found;
    }
    return (await this.byTag(repository, subject, signal))?.manifest.manifests.slice(0, maxReferrers) ?? [];
  }

  /** Adds a manifest to the list of its subject, at registries that do not do so themselves. */
  async enter(repository: Repository, subject: Digest, entry: FetchedManifest, signal?: AbortSignal): Promise<void> {
    const key = `${repository.registry}/${repository.path}@${subject}`;
    const mine = (this.writing.get(key) ?? Promise.resolve()).then(() =>
      this.write(repository, subject, entry, signal),
    );
    const settled = mine.catch(() => undefined);
    this.writing.set(key, settled);
    try {
      await mine;
    } finally {
      if (this.writing.get(key) === settled) this.writing.delete(key);
    }
  }

  private async byApi(
    repository: Repository,
    subject: Digest,
    signal: AbortSignal | undefined,
  ): Promise<readonly Descriptor[] | undefined> {
    const { registry, path } = repository;
    const { origin } = await this.transport.endpoint(registry, signal);
    const found: Descriptor[] = [];
    let url = new URL(`/v2/${path}/referrers/${subject}`, origin);
    for (let page = 0; page < maxPages; page++) {
      const response = await this.transport.fetch(
        {
          registry,
          repository: path,
          method: 'GET',
          path: url,
          scopes: pullScope(repository),
          headers: { accept: mediaTypes.ociIndex },
          expect: [200, 400, 404, 405, 406],
          signal,
        },
        async (response) => ({ ...response, bytes: await readBytes(response, maxManifestBytes) }),
      );
      const isIndex = response.headers['content-type']?.startsWith(mediaTypes.ociIndex) === true;
      const isOffered = response.status === 200 && isIndex;
      this.hasApi.set(renderRepository(repository), isOffered);
      if (!isOffered) return undefined;
      try {
        found.push(...parseManifest(response.bytes, mediaTypes.ociIndex).manifests);
      } catch (thrown) {
        throw badResponse(response.line, (thrown as Error).message, 200);
      }
      const next = nextPage(response.headers['link'], response.url);
      if (next === undefined || found.length >= maxReferrers) return found.slice(0, maxReferrers);
      url = new URL(`${next.pathname}${next.search}`, origin);
    }
    return found;
  }

  private async byTag(
    repository: Repository,
    subject: Digest,
    signal?: AbortSignal,
  ): Promise<FetchedManifest | undefined> {
    const tag = referrersTag(subject);
    // A HEAD first: it does not count as a pull.
    if ((await headManifest(this.transport, repository, tag, signal)) === undefined) return undefined;
    try {
      const fetched = await getManifest(this.transport, repository, tag, signal);
      return fetched.manifest.isIndex ? fetched : undefined;
    } catch (thrown) {
      if (isRegistryError(thrown, 'registry-not-found')) return undefined;
      throw thrown;
    }
  }

  private async write(
    repository: Repository,
    subject: Digest,
    entry: FetchedManifest,
    signal?: AbortSignal,
  ): Promise<void> {
    const known = await this.byTag(repository, subject, signal);
    if (known?.manifest.manifests.some(({ digest }) => digest === entry.digest)) return;
    const { digest, size, mediaType, manifest } = entry;
    const artifactType = manifest.artifactType ?? manifest.config?.mediaType;
    const { annotations } = manifest;
    const descriptor = {
      mediaType,
      digest,
      size,
      ...(artifactType ? { artifactType } : {}),
      ...(annotations ? { annotations } : {}),
    };
    const before = known === undefined || !isJsonObject(known.manifest.raw) ? {} : known.manifest.raw;
    const listed = known?.manifest.manifests.map(({ raw }) => raw) ?? [];
    const body = { schemaVersion: 2, mediaType: mediaTypes.ociIndex, ...before, manifests: [...listed, descriptor] };
    const bytes = Buffer.from(JSON.stringify(body));
    await putManifest(
      this.transport,
      repository,
      referrersTag(subject),
      { bytes, mediaType: mediaTypes.ociIndex, digest: digestOf(bytes) },
      signal,
    );
  }
}
