import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorCode,
  errorMessage,
  isAbort,
  type Logger,
  mapConcurrent,
  SupercargoError,
  UsageError,
} from '../base/index.ts';
import {
  type CopyName,
  createImageMapper,
  type Digest,
  type ImageMapper,
  type ImageReference,
  type Mapping,
  type Platform,
  parsePlatform,
  parseReference,
  parseTarget,
  renderReference,
  withDefaultTag,
} from '../image/index.ts';
import {
  awsEcrToken,
  type CopyEvent,
  type CredentialSource,
  combineSources,
  createCopier,
  createRegistryClient,
  dockerConfigSource,
  ecrCredentials,
  parseDockerConfig,
  proxyFromEnvironment,
  runHelper,
  staticSource,
} from '../registry/index.ts';

export interface MirrorOptions {
  readonly images: readonly string[];
  /** A registry, with an optional path. */
  readonly to: string;
  readonly mapping: Mapping;
  readonly platforms: readonly string[];
  readonly referrers: boolean;
  readonly dryRun: boolean;
  /** Registries with any certificate, or with plain HTTP. */
  readonly insecureRegistries: readonly string[];
  readonly insecureTarget: boolean;
  readonly caFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly imagesAtOnce: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly onEvent?: ((image: string, event: CopyEvent) => void) | undefined;
}

/** The result of one image. */
export interface MirroredImage {
  readonly source: string;
  readonly copy: string;
  readonly state: 'copied' | 'present' | 'planned' | 'failed';
  readonly digest?: Digest;
  readonly copiedBytes?: number;
  readonly copiedBlobs?: number;
  readonly mountedBlobs?: number;
  readonly presentBlobs?: number;
  readonly manifests?: number;
  readonly referrers?: number;
  readonly durationMs?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Copies images. An invalid name stops everything before the first copy; a failed copy affects only its image. */
export async function mirrorImages(options: MirrorOptions): Promise<readonly MirroredImage[]> {
  const mapper = createImageMapper({ target: parseTarget(options.to), mapping: options.mapping });
  const platforms = options.platforms.map(parsePlatform);
  const jobs = planJobs(options.images, mapper, platforms);
  const client = createRegistryClient({
    credentials: credentialsFor(mapper.target.registry, options.env),
    settings: settingsFor(options, mapper.target.registry),
    proxy: proxyFromEnvironment(options.env),
    log: options.log,
  });
  try {
    const copier = createCopier(client);
    return await mapConcurrent(jobs, options.imagesAtOnce, async ({ source, copy }) => {
      const name = renderReference(source);
      const names = { source: name, copy: renderReference(copy) };
      try {
        const result = await copier.copy({
          source,
          target: copy,
          platforms,
          referrers: options.referrers,
          dryRun: options.dryRun,
          signal: options.signal,
          ...(options.onEvent ? { onEvent: (event) => options.onEvent?.(name, event) } : {}),
        });
        return { ...names, ...result, durationMs: Math.round(result.durationMs) };
      } catch (thrown) {
        if (options.signal.aborted || isAbort(thrown) || !(thrown instanceof SupercargoError)) throw thrown;
        return { ...names, state: 'failed' as const, error: { code: thrown.code, message: errorMessage(thrown) } };
      }
    });
  } finally {
    await client.close();
  }
}

interface Job {
  readonly source: ImageReference;
  readonly copy: CopyName;
}

function planJobs(images: readonly string[], mapper: ImageMapper, platforms: readonly Platform[]): readonly Job[] {
  const jobs = new Map<string, Job>();
  for (const image of images) {
    const source = withDefaultTag(parseReference(image));
    const name = renderReference(source);
    if (mapper.isCopy(source))
      throw new UsageError('mirror-is-copy', `${name} is in the registry that copies go to; there is nothing to copy`);
    if (platforms.length > 0 && source.digest !== undefined)
      throw new UsageError(
        'mirror-digest-platform',
        `${name} is named by its digest: with some platforms left out it would have another; name it by tag, or leave out --platform`,
      );
    jobs.set(name, { source, copy: mapper.map(source) });
  }
  if (jobs.size === 0)
    throw new UsageError('mirror-no-images', 'no image is named: give some as arguments, or a file with -f');
  return [...jobs.values()];
}

function settingsFor({ caFile, insecureTarget, insecureRegistries }: MirrorOptions, target: string) {
  const ca = caFile === undefined ? undefined : readFile(caFile, 'the CA file');
  const insecure = new Set([...insecureRegistries, ...(insecureTarget ? [target] : [])]);
  return (registry: string) => ({ ca, isInsecure: insecure.has(registry) });
}

/**
 * The credentials of docker, podman and skopeo on this machine, ECR tokens, and for the target those of the
 * environment.
 */
export function credentialsFor(target: string, env: MirrorOptions['env']): CredentialSource {
  const [username, password] = [env['BACKUP_REGISTRY_USERNAME'], env['BACKUP_REGISTRY_PASSWORD']];
  if ((username === undefined) !== (password === undefined))
    throw new UsageError(
      'mirror-credentials',
      'set both BACKUP_REGISTRY_USERNAME and BACKUP_REGISTRY_PASSWORD, or none of them',
    );
  const own =
    username === undefined || password === undefined
      ? []
      : [staticSource(target, username, password, 'BACKUP_REGISTRY_USERNAME')];
  const configs = dockerConfigFiles(env).flatMap((file) => {
    const text = readFileIfThere(file);
    return text === undefined ? [] : [dockerConfigSource(parseDockerConfig(text, file), runHelper(env))];
  });
  return combineSources(...own, ...configs, ecrCredentials(awsEcrToken()));
}

function dockerConfigFiles(env: MirrorOptions['env']): string[] {
  const home = env['HOME'] || env['USERPROFILE'];
  const docker = env['DOCKER_CONFIG'] || (home && join(home, '.docker'));
  return [
    env['REGISTRY_AUTH_FILE'],
    docker && join(docker, 'config.json'),
    env['XDG_RUNTIME_DIR'] && join(env['XDG_RUNTIME_DIR'], 'containers', 'auth.json'),
  ].filter((file): file is string => file !== undefined && file !== '');
}

function readFileIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(thrown) ?? '')) return undefined;
    throw new UsageError('mirror-unreadable', `cannot read ${file}: ${errorMessage(thrown)}`);
  }
}

function readFile(file: string, what: string): string {
  const text = readFileIfThere(file);
  if (text === undefined) throw new UsageError('mirror-unreadable', `cannot read ${what}: there is no ${file}`);
  return text;
}

const maxListedImages = 100_000;

/** The images of a file, one per line; `#` starts a comment, `-` is standard input. */
export function readImageList(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (thrown) {
    throw new UsageError('mirror-unreadable', `cannot read ${file}: ${errorMessage(thrown)}`);
  }
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(?:^|\s)#.*$/, '').trim());
  const images = lines.flatMap((line, i) => (line === '' ? [] : [{ image: line, line: i + 1 }]));
  if (images.length > maxListedImages)
    throw new UsageError('mirror-too-many', `${file} names more than ${maxListedImages} images`);
  for (const { image, line } of images) {
    try {
      parseReference(image);
    } catch (thrown) {
      throw new UsageError('mirror-image', `${file}:${line}: ${errorMessage(thrown)}`);
    }
  }
  return images.map(({ image }) => image);
}
