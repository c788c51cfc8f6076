import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { digestHex, digestOf, mediaTypes } from '../../src/image/index.ts';
import { runCommand } from './command.ts';
import type { Architecture } from './lock.ts';
import { renderTar, type TarEntry } from './tar.ts';

/** A blob or manifest of an image, by content. */
export interface Part {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export interface Layer extends Part {
  /** The digest of the uncompressed archive. */
  readonly diffId: string;
}

export interface PlatformImage {
  readonly architecture: Architecture;
  readonly config: Part;
  readonly layers: readonly Layer[];
  readonly manifest: Part;
}

/** A manifest that refers to another one, with its blobs. */
export interface Referrer {
  readonly subject: Part;
  readonly artifactType: string;
  readonly blobs: readonly Part[];
  readonly manifest: Part;
}

export interface Process {
  readonly user?: string;
  readonly entrypoint: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly string[];
}

const configType = 'application/vnd.oci.image.config.v1+json';
const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip';
const emptyType = 'application/vnd.oci.empty.v1+json';

export const describePart = ({ mediaType, bytes }: Part) => ({
  mediaType,
  digest: digestOf(bytes),
  size: bytes.length,
});

const jsonPart = (mediaType: string, value: object): Part => ({ mediaType, bytes: Buffer.from(JSON.stringify(value)) });

/**
 * Compressed by the system's gzip, without name and time: its output is the same on all machines, while that of Node's
 * zlib depends on its version and the processor. The cache, if given, holds compressed layers by their diffId.
 */
export async function makeLayer(entries: readonly TarEntry[], cache?: string): Promise<Layer> {
  const archive = renderTar(entries);
  const diffId = digestOf(archive);
  const file = cache === undefined ? undefined : join(cache, `${digestHex(diffId)}.tar.gz`);
  const cached = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  if (cached !== undefined && (await isArchive(cached, diffId))) return { mediaType: layerType, bytes: cached, diffId };
  const bytes = await runCommand('gzip', ['-6', '-n', '-c'], { input: archive });
  if (file !== undefined) await writeFile(file, bytes);
  return { mediaType: layerType, bytes, diffId };
}

const isArchive = (bytes: Buffer, diffId: string) =>
  promisify(gunzip)(bytes).then(
    (archive) => digestOf(archive) === diffId,
    () => false,
  );

export interface ImageOptions {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
  readonly process: Process;
  /** RFC 3339. */
  readonly created: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export function makeImage({ architecture, layers, process, created, labels = {} }: ImageOptions): PlatformImage {
  const { user, entrypoint, workingDir = '/', env = [] } = process;
  const config = jsonPart(configType, {
    created,
    architecture,
    os: 'linux',
    ...(architecture === 'arm64' ? { variant: 'v8' } : {}),
    config: {
      ...(user ? { User: user } : {}),
      Env: env,
      Entrypoint: entrypoint,
      WorkingDir: workingDir,
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: 'supercargo image' })),
  });
  const manifest = jsonPart(mediaTypes.ociManifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.ociManifest,
    config: describePart(config),
    layers: layers.map(describePart),
    annotations: labels,
  });
  return { architecture, config, layers, manifest };
}

export const makeIndex = (images: readonly PlatformImage[], annotations: Readonly<Record<string, string>>): Part =>
  jsonPart(mediaTypes.ociIndex, {
    schemaVersion: 2,
    mediaType: mediaTypes.ociIndex,
    manifests: images.map(({ architecture, manifest }) => ({
      ...describePart(manifest),
      platform: platformOf(architecture),
    })),
    annotations,
  });

const platformOf = (architecture: Architecture) => ({
  architecture,
  os: 'linux',
  ...(architecture === 'arm64' ? { variant: 'v8' } : {}),
});

/** A document about an image, attached to its manifest as the image specification 1.1 says. */
export function makeReferrer(subject: Part, document: Part, created: string): Referrer {
  const empty = { mediaType: emptyType, bytes: Buffer.from('{}') };
  const manifest = jsonPart(mediaTypes.ociManifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.ociManifest,
    artifactType: document.mediaType,
    config: describePart(empty),
    layers: [describePart(document)],
    subject: describePart(subject),
    annotations: { 'org.opencontainers.image.created': created },
  });
  return { subject, artifactType: document.mediaType, blobs: [empty, document], manifest };
}
