/**
 * The names of container images as data: references, digests, tags, platforms, and the one mapping from an image to its
 * copy. No I/O: `registry` reads images.
 *
 * Invariants: a parsed reference is in normal form (Docker's: docker.io and library/ added, no defaults applied later),
 * and its rendered text parses to the same value. Two sources never map to one copy.
 */
export {
  createHasher,
  type Digest,
  digestAlgorithm,
  digestHex,
  digestOf,
  type Hasher,
  isDigest,
  parseDigest,
} from './digest.ts';
export { ImageError } from './errors.ts';
export {
  type Descriptor,
  isForeignLayerType,
  type Manifest,
  maxManifestBytes,
  mediaTypes,
  parseManifest,
} from './manifest.ts';
export {
  type CopyName,
  createImageMapper,
  type ImageMapper,
  type MapperOptions,
  type Mapping,
  mappingNames,
  parseTarget,
  type RegistryTarget,
  tagOfDigest,
} from './mapping.ts';
export { isPlatformOffered, type Platform, parsePlatform, renderPlatform } from './platform.ts';
export {
  type ImageReference,
  isSameRepository,
  parseReference,
  type Repository,
  renderReference,
  renderRepository,
  withDefaultTag,
} from './reference.ts';
export { isRepositoryPath, parseRegistryHost } from './repository-name.ts';
export { isTag, type Tag } from './tag.ts';
