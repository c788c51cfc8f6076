/**
 * The client of OCI registries, and the engine that copies images between them. It does not depend on Kubernetes: pull
 * secrets are plain data, and the mirror feature decides what is copied and when.
 *
 * Invariants: content has the digest it was requested by; a manifest is put only after everything it names; memory use
 * does not depend on the size of an image; no error or log line contains a credential; a credential is sent only to its
 * registry and to the token server which that registry names.
 */
export {
  type Credential,
  type CredentialSource,
  type CredentialTarget,
  combineSources,
  staticSource,
} from './auth/credentials.ts';
export {
  type DockerConfig,
  dockerConfigSource,
  parseDockerCfg,
  parseDockerConfig,
  parsePullSecret,
} from './auth/docker-config.ts';
export {
  type AwsKeys,
  type AwsOptions,
  awsEcrToken,
  type EcrToken,
  ecrCredentials,
  ecrRegion,
  type GetEcrToken,
} from './auth/ecr.ts';
export { type HelperRunner, runHelper } from './auth/helper.ts';
export type { BlobSource } from './blobs.ts';
export { createRegistryClient, type RegistryClient, type RegistryClientOptions } from './client.ts';
export { type BlobPlaces, createBlobPlaces, intersectPlaces } from './copy/blob-places.ts';
export {
  type CopyEvent,
  type CopyRequest,
  type CopyResult,
  createCopier,
  type ImageCopier,
} from './copy/copier.ts';
export { findMissing } from './copy/missing.ts';
export { isRegistryError, RegistryError, type RegistryErrorCode } from './errors.ts';
export type { RegistrySettings } from './http/endpoint.ts';
export { type ProxySettings, proxyFor, proxyFromEnvironment } from './http/proxy.ts';
export type { ListOptions } from './listings.ts';
export type { FetchedManifest, ManifestHead, PutResult } from './manifests.ts';
export { referrersTag } from './referrers.ts';
export type { BlobUpload, UploadResult } from './upload.ts';
