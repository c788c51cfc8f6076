import type { ImageResourcePolicy } from '../api/index.ts';
import { errorMessage, type Logger, UsageError } from '../base/index.ts';
import {
  compileImagePattern,
  compileSelection,
  defaultConcurrentScans,
  ecrSource,
  type ImageSource,
  ociSource,
  type Scan,
  scan,
} from '../detect/index.ts';
import { parseRegistryHost } from '../image/index.ts';
import type { Files } from '../manifests/index.ts';
import { parseDurationMs } from '../object/index.ts';
import { createRegistryClient, proxyFromEnvironment } from '../registry/index.ts';
import { readOwn } from './custom-documents.ts';
import { credentialsFor } from './mirror-images.ts';

export interface ScanPolicyOptions {
  readonly files: Files;
  /** The file of an ImageResourcePolicy. */
  readonly policy: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface PolicyScan extends Scan {
  readonly name: string;
  readonly registry: string;
  /** Parts of the policy that were ignored because there is no cluster. */
  readonly notes: readonly string[];
}

/** Scans the registry of a policy as detection would, without writing anything. */
export async function scanPolicy(options: ScanPolicyOptions): Promise<PolicyScan> {
  const { files, policy: file, signal } = options;
  const { metadata, spec } = readOwn<ImageResourcePolicy>(files, file, 'ImageResourcePolicy');
  const given = spec.ecrRepository ?? spec.ociRepository;
  if (!given || (spec.ecrRepository && spec.ociRepository))
    throw new UsageError('scan-policy', `${file}: spec: exactly one of ecrRepository, ociRepository must be set`);
  const field = spec.ecrRepository ? 'spec.ecrRepository' : 'spec.ociRepository';
  const { ociRepository } = spec;
  if (ociRepository) compiled(`${file}: ${field}.registry`, () => parseRegistryHost(ociRepository.registry));
  const matcher = compiled(`${file}: ${field}`, () => compileImagePattern(given));
  const selection = compiled(`${file}: spec.policy`, () => compileSelection(spec.policy));
  const timeoutMs = compiled(`${file}: ${field}.scanTimeout`, () => parseDurationMs(given.scanTimeout ?? '5m'));
  const deadline = AbortSignal.timeout(timeoutMs);
  const source = openSource(spec, options);
  try {
    const result = await scan({
      source,
      matcher,
      selection,
      maxRepositories: given.maxRepositories ?? 50,
      maxConcurrentScans: given.maxConcurrentScans ?? defaultConcurrentScans,
      signal: AbortSignal.any([signal, deadline]),
    });
    return { ...result, name: metadata.name ?? '', registry: source.registry, notes: notesOf(spec) };
  } catch (thrown) {
    if (deadline.aborted && !signal.aborted)
      throw new UsageError('scan-timeout', `the scan took longer than scanTimeout (${given.scanTimeout ?? '5m'})`);
    throw thrown;
  } finally {
    await source.close();
  }
}

function compiled<T>(place: string, compile: () => T): T {
  try {
    return compile();
  } catch (thrown) {
    throw new UsageError('scan-policy', `${place}: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** With the credentials of this machine: docker's configuration, or the AWS environment. */
function openSource(
  { ecrRepository, ociRepository, aws }: ImageResourcePolicy['spec'],
  options: ScanPolicyOptions,
): ImageSource {
  if (ecrRepository) {
    const { region, registryId, endpoint } = ecrRepository;
    return ecrSource({ region, registryId, endpoint, roleArn: aws?.roleArn });
  }
  const { registry, insecure = false, maxConcurrentScans = defaultConcurrentScans } = ociRepository!;
  const { BACKUP_REGISTRY_USERNAME: _, BACKUP_REGISTRY_PASSWORD: __, ...env } = options.env;
  return ociSource(
    createRegistryClient({
      credentials: credentialsFor(registry, env),
      settings: () => ({ isPlainHttp: insecure }),
      concurrency: { calls: maxConcurrentScans },
      proxy: proxyFromEnvironment(options.env),
      log: options.log,
    }),
    registry,
  );
}

function notesOf({ ociRepository, aws }: ImageResourcePolicy['spec']): readonly string[] {
  const secrets = [
    ['spec.ociRepository.secretRef', ociRepository?.secretRef],
    ['spec.ociRepository.certSecretRef', ociRepository?.certSecretRef],
    ['spec.aws.secretRef', aws?.secretRef],
  ] as const;
  return secrets.flatMap(([field, ref]) =>
    ref ? [`${field} (${ref.name}) was not read: the credentials are those of this machine`] : [],
  );
}
