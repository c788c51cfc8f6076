import { rootCertificates } from 'node:tls';
import { type AddressPolicy, type Clock, type Logger, type Resolve, silentLogger, systemClock } from '../base/index.ts';
import type { Descriptor, Digest, Repository, Tag } from '../image/index.ts';
import type { CredentialSource } from './auth/credentials.ts';
import { type BlobSource, deleteBlob, downloadBlob, readBlob, statBlob } from './blobs.ts';
import { createConnections } from './http/connections.ts';
import type { RegistrySettings } from './http/endpoint.ts';
import type { ProxySettings } from './http/proxy.ts';
import { createRedactor } from './http/redact.ts';
import { Transport } from './http/transport.ts';
import { type ListOptions, listRepositories, listTags } from './listings.ts';
import {
  deleteManifest,
  type FetchedManifest,
  getManifest,
  headManifest,
  type ManifestHead,
  type PutResult,
  putManifest,
} from './manifests.ts';
import type { RateLimits } from './rate-floor.ts';
import { Referrers } from './referrers.ts';
import { type BlobUpload, type UploadResult, uploadBlob } from './upload.ts';

export interface RegistryClientOptions {
  /** The source of credentials. Without it, access is anonymous. */
  readonly credentials?: CredentialSource;
  /** Connection settings by registry name, as written in image references. */
  readonly settings?: (registry: string) => RegistrySettings;
  readonly proxy?: ProxySettings;
  /**
   * Addresses that may be connected to: registries, token servers, redirects and upload locations. By default loopback
   * is allowed, for commands that a user runs. Configured hosts include their port.
   */
  readonly addresses?: AddressPolicy | undefined;
  /** Replaces the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  readonly userAgent?: string;
  readonly connectTimeoutMs?: number;
  /** Idle timeout of a connection. */
  readonly idleTimeoutMs?: number;
  /** Timeout of a whole call with a small response. */
  readonly callTimeoutMs?: number;
  /** Minimum average rate of a layer download over a window. */
  readonly rate?: RateLimits;
  readonly attempts?: number;
  readonly retryBaseMs?: number;
  readonly retryMaxMs?: number;
  /** Do not retry when the registry's Retry-After is longer than this. */
  readonly maxRetryAfterMs?: number;
  /** Maximum concurrency, per registry. */
  readonly concurrency?: { readonly calls?: number; readonly downloads?: number; readonly uploads?: number };
}

/** A client of OCI distribution registries. Opens connections on demand and keeps them until closed. */
export interface RegistryClient {
  /** The descriptor of a tag or digest; undefined when it does not exist. */
  headManifest(
    repository: Repository,
    reference: Tag | Digest,
    signal?: AbortSignal,
  ): Promise<ManifestHead | undefined>;
  /** A manifest whose digest was verified; throws `registry-not-found`. */
  getManifest(repository: Repository, reference: Tag | Digest, signal?: AbortSignal): Promise<FetchedManifest>;
  putManifest(
    repository: Repository,
    reference: Tag | Digest,
    manifest: Pick<FetchedManifest, 'bytes' | 'mediaType' | 'digest'>,
    signal?: AbortSignal,
  ): Promise<PutResult>;
  deleteManifest(repository: Repository, reference: Tag | Digest, signal?: AbortSignal): Promise<boolean>;
  listTags(repository: Repository, options?: ListOptions): AsyncGenerator<readonly Tag[]>;
  listRepositories(registry: string, options?: ListOptions): AsyncGenerator<readonly string[]>;
  listReferrers(repository: Repository, subject: Digest, signal?: AbortSignal): Promise<readonly Descriptor[]>;
  /**
   * Adds a manifest to the referrers tag. Needed where `putManifest` reports that the registry does not support
   * subjects.
   */
  enterReferrer(repository: Repository, subject: Digest, entry: FetchedManifest, signal?: AbortSignal): Promise<void>;
  statBlob(repository: Repository, digest: Digest, signal?: AbortSignal): Promise<number | undefined>;
  /** Verified, and resumed after interruptions. Buffers only a few pieces. */
  readBlob(source: BlobSource): AsyncGenerator<Buffer>;
  /** From an offset on, not verified: for `uploadBlob`, which verifies. */
  downloadBlob(source: BlobSource, offset: number): AsyncGenerator<Buffer>;
  uploadBlob(upload: BlobUpload): Promise<UploadResult>;
  deleteBlob(repository: Repository, digest: Digest, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

export function createRegistryClient(options: RegistryClientOptions = {}): RegistryClient {
  const { clock = systemClock, idleTimeoutMs = 60_000, concurrency = {} } = options;
  const connections = createConnections({
    proxy: options.proxy ?? {},
    connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
    idleTimeoutMs,
    systemCa: () => rootCertificates,
    addresses: options.addresses ?? { allowLoopback: true },
    resolve: options.resolve,
  });
  const transport = new Transport({
    connections,
    credentials: options.credentials ?? (async () => []),
    settings: options.settings ?? (() => ({})),
    clock,
    log: options.log ?? silentLogger,
    redactor: createRedactor(),
    random: options.random ?? Math.random,
    userAgent: options.userAgent ?? 'supercargo',
    retries: {
      attempts: options.attempts ?? 5,
      baseMs: options.retryBaseMs ?? 300,
      maxMs: options.retryMaxMs ?? 10_000,
      maxRetryAfterMs: options.maxRetryAfterMs ?? 60_000,
    },
    stallLimits: { takeMs: idleTimeoutMs, finishMs: idleTimeoutMs * 10 },
    rate: options.rate ?? { minBytesPerSecond: 32 * 1024, windowMs: 60_000 },
    callTimeoutMs: options.callTimeoutMs ?? 120_000,
    concurrency: {
      calls: concurrency.calls ?? 8,
      downloads: concurrency.downloads ?? 6,
      uploads: concurrency.uploads ?? 6,
    },
  });
  const referrers = new Referrers(transport);
  return {
    headManifest: (repository, reference, signal) => headManifest(transport, repository, reference, signal),
    getManifest: (repository, reference, signal) => getManifest(transport, repository, reference, signal),
    putManifest: (repository, reference, manifest, signal) =>
      putManifest(transport, repository, reference, manifest, signal),
    deleteManifest: (repository, reference, signal) => deleteManifest(transport, repository, reference, signal),
    listTags: (repository, list) => listTags(transport, repository, list),
    listRepositories: (registry, list) => listRepositories(transport, registry, list),
    listReferrers: (repository, subject, signal) => referrers.list(repository, subject, signal),
    enterReferrer: (repository, subject, entry, signal) => referrers.enter(repository, subject, entry, signal),
    statBlob: (repository, digest, signal) => statBlob(transport, repository, digest, signal),
    readBlob: (source) => readBlob(transport, source),
    downloadBlob: (source, offset) => downloadBlob(transport, source, offset),
    uploadBlob: (upload) => uploadBlob(transport, upload),
    deleteBlob: (repository, digest, signal) => deleteBlob(transport, repository, digest, signal),
    close: () => connections.close(),
  };
}
