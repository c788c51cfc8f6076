import { isJsonObject, parseJson } from '../../base/index.ts';
import {
  type Descriptor,
  digestOf,
  isPlatformOffered,
  type Platform,
  parseManifest,
  type Repository,
  renderPlatform,
} from '../../image/index.ts';
import type { RegistryClient } from '../client.ts';
import { RegistryError } from '../errors.ts';
import type { FetchedManifest } from '../manifests.ts';

// BuildKit's attestations are index entries that name the image they describe.
const attestationSubject = 'vnd.docker.reference.digest';
const maxConfigBytes = 8 * 1024 * 1024;

/**
 * The index with only the wanted platforms: another manifest with another digest. Returns the same index when it has no
 * other platforms.
 */
export async function selectPlatforms(
  client: RegistryClient,
  repository: Repository,
  whole: FetchedManifest,
  wanted: readonly Platform[],
  signal: AbortSignal | undefined,
): Promise<FetchedManifest> {
  if (!whole.manifest.isIndex) {
    const offered = await platformOfImage(client, repository, whole, signal);
    if (offered !== undefined && wanted.some((platform) => isPlatformOffered(platform, offered))) return whole;
    throw missing(repository, wanted, offered === undefined ? [] : [offered]);
  }
  const { manifests } = whole.manifest;
  const offered = manifests.flatMap(({ platform }) => (platform === undefined ? [] : [platform]));
  const lacking = wanted.filter((platform) => !offered.some((one) => isPlatformOffered(platform, one)));
  if (lacking.length > 0) throw missing(repository, lacking, offered);
  const kept = manifests.filter(
    ({ platform }) => platform !== undefined && wanted.some((one) => isPlatformOffered(one, platform)),
  );
  const digests = new Set<string>(kept.map(({ digest }) => digest));
  const isKept = (entry: Descriptor) =>
    digests.has(entry.digest) || digests.has(entry.annotations?.[attestationSubject] ?? '');
  const rest = manifests.filter(isKept);
  if (rest.length === manifests.length) return whole;
  const bytes = Buffer.from(JSON.stringify({ ...whole.manifest.raw, manifests: rest.map(({ raw }) => raw) }));
  const { mediaType } = whole;
  return { bytes, mediaType, size: bytes.length, digest: digestOf(bytes), manifest: parseManifest(bytes, mediaType) };
}

async function platformOfImage(
  client: RegistryClient,
  repository: Repository,
  { manifest }: FetchedManifest,
  signal: AbortSignal | undefined,
): Promise<Platform | undefined> {
  const { config } = manifest;
  if (config === undefined || config.size > maxConfigBytes) return undefined;
  const pieces: Buffer[] = [];
  for await (const piece of client.readBlob({ repository, digest: config.digest, size: config.size, signal }))
    pieces.push(piece);
  try {
    const value = parseJson(Buffer.concat(pieces).toString('utf8'));
    if (!isJsonObject(value)) return undefined;
    const { os, architecture, variant } = value;
    if (typeof os !== 'string' || typeof architecture !== 'string') return undefined;
    return { os, architecture, variant: typeof variant === 'string' ? variant : undefined };
  } catch {
    return undefined;
  }
}

function missing(repository: Repository, lacking: readonly Platform[], offered: readonly Platform[]): RegistryError {
  const names = (platforms: readonly Platform[]) => platforms.map(renderPlatform).join(', ');
  const there = offered.filter(({ os }) => os !== 'unknown');
  return new RegistryError(
    'registry-platform-missing',
    `${repository.registry}/${repository.path} has no image for ${names(lacking)}; it has ${names(there) || 'none with a platform'}`,
    { registry: repository.registry },
  );
}
