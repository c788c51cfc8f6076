import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/index.ts';
import { type Digest, isDigest } from './digest.ts';
import { ImageError } from './errors.ts';
import type { Platform } from './platform.ts';

/** The media types for the Accept header of a registry request. */
export const mediaTypes = {
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociArtifact: 'application/vnd.oci.artifact.manifest.v1+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerSchema1: 'application/vnd.docker.distribution.manifest.v1+json',
  dockerSchema1Signed: 'application/vnd.docker.distribution.manifest.v1+prettyjws',
} as const;

const indexTypes: ReadonlySet<string> = new Set([mediaTypes.ociIndex, mediaTypes.dockerList]);
const imageTypes: ReadonlySet<string> = new Set([
  mediaTypes.ociManifest,
  mediaTypes.dockerManifest,
  mediaTypes.ociArtifact,
]);
const schema1Types: ReadonlySet<string> = new Set([mediaTypes.dockerSchema1, mediaTypes.dockerSchema1Signed]);

const isManifestType = (mediaType: string) =>
  indexTypes.has(mediaType) || imageTypes.has(mediaType) || schema1Types.has(mediaType);

/** Layers that stay at their publisher's address; a registry may or may not hold them. */
export const isForeignLayerType = (mediaType: string) =>
  mediaType.startsWith('application/vnd.oci.image.layer.nondistributable.') ||
  mediaType === 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip';

/** The size that the OCI specification requires every registry to accept; more is rejected on both sides. */
export const maxManifestBytes = 4 * 1024 * 1024;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly platform?: Platform | undefined;
  readonly artifactType?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly hasUrls: boolean;
  /** The original JSON, so that it can be written again without loss. */
  readonly raw: JsonObject;
}

/** A manifest: an image (or artifact) with its blobs, or an index of manifests. */
export interface Manifest {
  readonly mediaType: string;
  readonly isIndex: boolean;
  /** Config and layers of an image; descriptors of an index that are not manifests. */
  readonly blobs: readonly Descriptor[];
  /** The manifests of an index. */
  readonly manifests: readonly Descriptor[];
  readonly config?: Descriptor | undefined;
  /** The manifest that this one refers to (as a signature, an SBOM). */
  readonly subject?: Descriptor | undefined;
  readonly artifactType?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly raw: JsonObject;
}

/**
 * Parses a manifest's bytes. The announced media type must not contradict the one inside, because then one digest could
 * mean two images.
 */
export function parseManifest(bytes: Uint8Array, statedType: string | undefined): Manifest {
  const stated = statedType?.split(';')[0]?.trim().toLowerCase();
  if (stated !== undefined && schema1Types.has(stated)) throw schema1();
  const body = parseBody(bytes);
  if (body['schemaVersion'] === 1) throw schema1();
  if (body['schemaVersion'] !== 2) throw invalid('its schemaVersion is not 2');
  const inside = body['mediaType'];
  if (inside !== undefined && typeof inside !== 'string') throw invalid('its mediaType is no text');
  const mediaType = typeOf(stated, inside, body);
  if (indexTypes.has(mediaType)) {
    if ('layers' in body || 'config' in body) throw invalid('it is an index and has layers');
    const all = descriptors(body['manifests'], 'manifests');
    return {
      ...shared(body, mediaType),
      isIndex: true,
      manifests: all.filter((child) => isManifestType(child.mediaType)),
      blobs: all.filter((child) => !isManifestType(child.mediaType)),
    };
  }
  if ('manifests' in body) throw invalid('it is an image and lists manifests');
  if (mediaType === mediaTypes.ociArtifact)
    return {
      ...shared(body, mediaType),
      isIndex: false,
      manifests: [],
      blobs: descriptors(body['blobs'] ?? [], 'blobs'),
    };
  const config = descriptor(body['config'], 'config');
  return {
    ...shared(body, mediaType),
    isIndex: false,
    manifests: [],
    config,
    blobs: [config, ...descriptors(body['layers'] ?? [], 'layers')],
  };
}

function parseBody(bytes: Uint8Array): JsonObject {
  if (bytes.length > maxManifestBytes)
    throw invalid(`it has ${bytes.length} bytes, and ${maxManifestBytes} are allowed`);
  let value: Json;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('it is not JSON');
  }
  if (!isJsonObject(value)) throw invalid('it is no JSON object');
  return value;
}

function typeOf(stated: string | undefined, inside: string | undefined, body: JsonObject): string {
  const known = [stated, inside].filter((type) => type !== undefined && isManifestType(type));
  if (known.length === 2 && stated !== inside)
    throw invalid(`it was announced as ${stated} and calls itself ${inside}`);
  const type = known[0];
  if (type !== undefined) return type;
  if (inside !== undefined) throw invalid(`${JSON.stringify(inside.slice(0, 100))} is no kind of manifest known here`);
  if ('manifests' in body) return mediaTypes.ociIndex;
  if ('config' in body) return mediaTypes.ociManifest;
  throw invalid('it says nowhere what it is');
}

function shared(body: JsonObject, mediaType: string) {
  const subject = body['subject'];
  const artifactType = body['artifactType'];
  const annotations = stringsOf(body['annotations']);
  return {
    mediaType,
    raw: body,
    ...(subject === undefined || subject === null ? {} : { subject: descriptor(subject, 'subject') }),
    ...(typeof artifactType === 'string' && artifactType !== '' ? { artifactType } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function descriptors(value: unknown, where: string): Descriptor[] {
  if (!Array.isArray(value)) throw invalid(`its ${where} are no list`);
  return value.map((item, i) => descriptor(item, `${where}[${i}]`));
}

function descriptor(value: unknown, where: string): Descriptor {
  if (!isJsonObject(value)) throw invalid(`its ${where} is no descriptor`);
  const { mediaType, digest, size, urls, artifactType } = value;
  if (typeof mediaType !== 'string' || mediaType === '') throw invalid(`its ${where} has no mediaType`);
  if (typeof digest !== 'string' || !isDigest(digest)) throw invalid(`its ${where} has no valid digest`);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw invalid(`its ${where} has no valid size`);
  const platform = platformOf(value['platform']);
  const annotations = stringsOf(value['annotations']);
  return {
    mediaType,
    digest,
    size,
    hasUrls: Array.isArray(urls) && urls.length > 0,
    raw: value,
    ...(platform === undefined ? {} : { platform }),
    ...(typeof artifactType === 'string' ? { artifactType } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function platformOf(value: unknown): Platform | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = (name: string) => (typeof value[name] === 'string' ? (value[name] as string) : undefined);
  const [os, architecture] = [text('os'), text('architecture')];
  if (os === undefined || architecture === undefined) return undefined;
  return { os, architecture, variant: text('variant'), osVersion: text('os.version') };
}

function stringsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const invalid = (why: string) => new ImageError('image-manifest-invalid', `the manifest is not valid: ${why}`);
const schema1 = () =>
  new ImageError(
    'image-manifest-schema1',
    'the manifest is of Docker schema 1, which is no longer in use; pull the image with a current client and push it again',
  );
