import { randomBytes } from 'node:crypto';
import {
  type Descriptor,
  type Digest,
  digestOf,
  mediaTypes,
  parseManifest,
  parseReference,
  type Repository,
  type Tag,
} from '../../src/image/index.ts';
import type { FetchedManifest, RegistryClient } from '../../src/registry/index.ts';

export type ImageParts = Pick<FetchedManifest, 'bytes' | 'mediaType' | 'digest' | 'size' | 'manifest'>;

export const repositoryOf = (text: string): Repository => {
  const { registry, path } = parseReference(text);
  return { registry, path };
};

/** Bytes that begin as a compressed layer does: real clients look at them. */
export function layerBytes(size: number): Buffer {
  const bytes = randomBytes(Math.max(size, 10));
  bytes.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  return bytes;
}

export async function pushBlob(client: RegistryClient, repository: Repository, bytes: Uint8Array): Promise<Digest> {
  const digest = digestOf(bytes);
  await client.uploadBlob({ repository, digest, size: bytes.length, read: (offset) => pieces(bytes.subarray(offset)) });
  return digest;
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

export function manifestOf(value: object, mediaType: string): ImageParts {
  const bytes = Buffer.from(JSON.stringify(value));
  return { bytes, mediaType, digest: digestOf(bytes), size: bytes.length, manifest: parseManifest(bytes, mediaType) };
}

export const descriptorOf = ({ mediaType, digest, size }: ImageParts) => ({ mediaType, digest, size });

export interface ImageOptions {
  readonly layers?: readonly Uint8Array[];
  readonly architecture?: string;
  readonly variant?: string;
  readonly form?: 'oci' | 'docker';
  readonly subject?: ImageParts;
  readonly artifactType?: string;
}

/** Pushes the blobs and the manifest of an image, by its digest and, if given, a tag. */
export async function pushImage(
  client: RegistryClient,
  repository: Repository,
  tag: string | undefined,
  options: ImageOptions = {},
): Promise<ImageParts> {
  const { layers = [layerBytes(1000)], architecture = 'amd64', variant, form = 'oci', subject, artifactType } = options;
  const isOci = form === 'oci';
  const config = Buffer.from(
    JSON.stringify({
      os: 'linux',
      architecture,
      ...(variant ? { variant } : {}),
      config: {},
      rootfs: { type: 'layers', diff_ids: layers.map((layer) => digestOf(layer)) },
    }),
  );
  await pushBlob(client, repository, config);
  for (const layer of layers) await pushBlob(client, repository, layer);
  const mediaType = isOci ? mediaTypes.ociManifest : mediaTypes.dockerManifest;
  const image = manifestOf(
    {
      schemaVersion: 2,
      mediaType,
      ...(artifactType ? { artifactType } : {}),
      config: {
        mediaType: isOci
          ? 'application/vnd.oci.image.config.v1+json'
          : 'application/vnd.docker.container.image.v1+json',
        digest: digestOf(config),
        size: config.length,
      },
      layers: layers.map((layer) => ({
        mediaType: isOci
          ? 'application/vnd.oci.image.layer.v1.tar+gzip'
          : 'application/vnd.docker.image.rootfs.diff.tar.gzip',
        digest: digestOf(layer),
        size: layer.length,
      })),
      ...(subject ? { subject: descriptorOf(subject) } : {}),
    },
    mediaType,
  );
  const put = await client.putManifest(repository, (tag as Tag | undefined) ?? image.digest, image);
  if (subject && !put.isSubjectKnown) await client.enterReferrer(repository, subject.digest, image);
  return image;
}

export interface IndexEntry {
  readonly image: ImageParts;
  readonly platform?: { readonly os: string; readonly architecture: string; readonly variant?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export async function pushIndex(
  client: RegistryClient,
  repository: Repository,
  tag: string,
  entries: readonly IndexEntry[],
  form: 'oci' | 'docker' = 'oci',
): Promise<ImageParts> {
  const mediaType = form === 'oci' ? mediaTypes.ociIndex : mediaTypes.dockerList;
  const manifests = entries.map(({ image, ...rest }) => ({ ...descriptorOf(image), ...rest }));
  const index = manifestOf({ schemaVersion: 2, mediaType, manifests }, mediaType);
  await client.putManifest(repository, tag as Tag, index);
  return index;
}

/** An index of amd64, arm64 and arm/v7, each with a layer of its own and one that all share. */
export async function pushMultiArch(
  client: RegistryClient,
  repository: Repository,
  tag: string,
  form: 'oci' | 'docker' = 'oci',
) {
  const shared = layerBytes(3000);
  const platforms = [
    { os: 'linux', architecture: 'amd64' },
    { os: 'linux', architecture: 'arm64', variant: 'v8' },
    { os: 'linux', architecture: 'arm', variant: 'v7' },
  ];
  const entries: IndexEntry[] = [];
  for (const platform of platforms) {
    const { architecture, variant } = platform;
    const layers = [shared, layerBytes(2000)];
    const image = await pushImage(client, repository, undefined, {
      layers,
      architecture,
      form,
      ...(variant ? { variant } : {}),
    });
    entries.push({ image, platform });
  }
  return { index: await pushIndex(client, repository, tag, entries, form), entries };
}

export const digestsOf = (descriptors: readonly Pick<Descriptor, 'digest'>[]) =>
  descriptors.map(({ digest }) => digest).sort();

export async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
