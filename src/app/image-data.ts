import { LRUCache } from 'lru-cache';
import { errorCode, parseJson, SupercargoError } from '../base/index.ts';
import {
  type Descriptor,
  type Digest,
  type ImageReference,
  isPlatformOffered,
  type Platform,
  parseReference,
  renderRepository,
  withDefaultTag,
} from '../image/index.ts';
import type { FetchedManifest, RegistryClient } from '../registry/index.ts';
import type { ImageData } from '../runtime/index.ts';
import { type ImageAccess, parseImageAccess } from './image-access.ts';

/** The platform for rules that name none, as in Kyverno. */
const platform: Platform = { os: 'linux', architecture: 'amd64' };
const maxConfigBytes = 4 * 1024 * 1024;

export interface LiveImageData {
  readonly imageData: ImageData;
  close(): Promise<void>;
}

/** More client variants than policies usually need; the least recently used one is closed. */
const maxClients = 16;

/** Image data as policies read it (`imageRegistry`); a registry client is opened on the first look-up. */
export function createImageData(open: (access: ImageAccess) => Promise<RegistryClient>): LiveImageData {
  const closing = new Set<Promise<void>>();
  const clients = new LRUCache<string, Promise<RegistryClient>>({
    max: maxClients,
    dispose(opened) {
      const closed: Promise<void> = opened
        .then((client) => client.close())
        .catch(() => {
          // It failed to open; the caller already got the error.
        })
        .finally(() => closing.delete(closed));
      closing.add(closed);
    },
  });
  const clientFor = (access: ImageAccess): Promise<RegistryClient> => {
    const key = JSON.stringify(access);
    let opened = clients.get(key);
    if (!opened) clients.set(key, (opened = open(access)));
    return opened;
  };
  return {
    async imageData(text, { credentials, pullSecrets = [], signal }) {
      const access = parseImageAccess(credentials);
      try {
        return await describe(await clientFor(access), text, signal);
      } catch (thrown) {
        if (pullSecrets.length === 0 || !mayNeedLogin.has(errorCode(thrown) ?? '')) throw thrown;
        // Not shared: what one namespace may read is not for others.
        const own = await open({ ...access, pullSecrets });
        try {
          return await describe(own, text, signal);
        } finally {
          await own.close();
        }
      }
    },
    async close() {
      clients.clear();
      await Promise.all(closing);
    },
  };
}

/** Registries differ in their responses for an image without access. */
const mayNeedLogin: ReadonlySet<string> = new Set([
  'registry-unauthorized',
  'registry-forbidden',
  'registry-not-found',
]);

async function describe(client: RegistryClient, text: string, signal: AbortSignal): Promise<unknown> {
  const reference = withDefaultTag(parseReference(text));
  const found = await client.getManifest(reference, (reference.digest ?? reference.tag)!, signal);
  const image = found.manifest.isIndex ? await ofPlatform(client, reference, found, signal) : found;
  return {
    image: text,
    resolvedImage: `${renderRepository(reference)}@${found.digest}`,
    registry: reference.registry,
    repository: reference.path,
    identifier: reference.digest ?? reference.tag,
    ...(found.manifest.isIndex ? { manifestList: found.manifest.raw } : {}),
    manifest: image.manifest.raw,
    configData: await readConfig(client, reference, image.manifest.config, signal),
  };
}

async function ofPlatform(
  client: RegistryClient,
  reference: ImageReference,
  index: FetchedManifest,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const { manifests } = index.manifest;
  const wanted =
    manifests.find((entry) => entry.platform && isPlatformOffered(platform, entry.platform)) ?? manifests[0];
  if (!wanted) throw new SupercargoError('image-data', `${renderRepository(reference)} is an index without an image`);
  return client.getManifest(reference, wanted.digest, signal);
}

async function readConfig(
  client: RegistryClient,
  repository: ImageReference,
  config: Descriptor | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (!config || config.size > maxConfigBytes) return {};
  const { digest, size } = config as { readonly digest: Digest; readonly size: number };
  const pieces: Buffer[] = [];
  for await (const piece of client.readBlob({ repository, digest, size, signal })) pieces.push(piece);
  return parseJson(Buffer.concat(pieces).toString());
}
