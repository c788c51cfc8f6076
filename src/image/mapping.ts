import { isIPv6 } from 'node:net';
import { type Digest, digestAlgorithm, digestHex } from './digest.ts';
import { ImageError, quote } from './errors.ts';
import { type ImageReference, type Repository, renderRepository } from './reference.ts';
import { checkRepositoryPath, isRepositoryPath, maxRepositoryLength, parseRegistryHost } from './repository-name.ts';
import type { Tag } from './tag.ts';

/**
 * How a copy is named. `path` keeps registry and path of the source; `flat` writes both as one word, for registries
 * with two levels; `basename` keeps only the last word, and so supports one source per word.
 */
export type Mapping = 'path' | 'flat' | 'basename';
export const mappingNames: readonly Mapping[] = ['path', 'flat', 'basename'];

/** Where copies are stored: a registry and, optionally, a path prefix in it. */
export interface RegistryTarget {
  readonly registry: string;
  readonly prefix: string;
}

/** Parses `registry.example:5000`, `docker.io/backup`, `localhost:5000/mirror/of`. */
export function parseTarget(text: string): RegistryTarget {
  const slash = text.indexOf('/');
  const registry = parseRegistryHost(slash === -1 ? text : text.slice(0, slash));
  const prefix = slash === -1 ? '' : text.slice(slash + 1);
  if (prefix !== '' || slash !== -1) checkPrefix(prefix, text);
  return { registry, prefix };
}

function checkPrefix(prefix: string, text: string): void {
  if (/[:@]/.test(prefix))
    throw new ImageError('image-target-invalid', `${quote(text)} names one image; a target is a registry and a path`);
  checkRepositoryPath(prefix, text);
}

/** The repository of a source's copy. Injective for `path` and `flat`. */
export function mapRepository(source: Repository, target: RegistryTarget, mapping: Mapping): Repository {
  const name = names[mapping](source);
  const path = target.prefix === '' ? name : `${target.prefix}/${name}`;
  if (!isRepositoryPath(path))
    throw new ImageError(
      'image-mapping-too-long',
      `the copy of ${renderRepository(source)} would be called ${quote(path)}, which has ${path.length} characters; ` +
        `${maxRepositoryLength} are allowed: choose a shorter target or another mapping`,
    );
  return { registry: target.registry, path };
}

const names: Readonly<Record<Mapping, (source: Repository) => string>> = {
  path: ({ registry, path }) => `${hostAsComponent(registry)}/${path}`,
  flat: ({ registry, path }) => flatten(`${hostAsComponent(registry)}/${path}`),
  basename: ({ path }) => path.slice(path.lastIndexOf('/') + 1),
};

/**
 * A registry as one component of a path. A host name has no underscore, so one replaces the colon before the port, and
 * two mark an IPv6 address, whose groups are written out. Hosts that differ only in case are the same.
 */
function hostAsComponent(registry: string): string {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(registry.toLowerCase()) ?? [];
  const name = host.startsWith('[') ? `ip6__${expandIPv6(host.slice(1, -1)).join('-')}` : host;
  return port === undefined ? name : `${name}_${Number(port)}`;
}

function expandIPv6(address: string): string[] {
  if (!isIPv6(address)) throw new ImageError('image-registry-invalid', `${quote(address)} is no IPv6 address`);
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
  const [head = '', tail] = hex.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

/**
 * A path as one word that Docker Hub accepts (no dot, no slash). Between two runs of letters and digits is exactly one
 * separator; each becomes another one, no two the same, so the word can be decoded.
 */
function flatten(path: string): string {
  return path.replace(/[^a-z0-9]+/g, (separator) => {
    switch (separator) {
      case '/':
        return '__';
      case '.':
        return '_';
      case '-':
        return '-';
      case '_':
        return '--';
      case '__':
        return '---';
      default:
        return `--${separator}`;
    }
  });
}

/** The tag of a copy whose source has none: many registries delete untagged images as garbage. */
export function tagOfDigest(digest: Digest): Tag {
  return `copy-${digestAlgorithm(digest)}-${digestHex(digest).slice(0, 64)}` as Tag;
}

/** The name of a copy; pulled by tag, or by digest where the source was named by digest. */
export interface CopyName extends ImageReference {
  readonly tag: Tag;
}

export interface ImageMapper {
  readonly target: RegistryTarget;
  readonly mapping: Mapping;
  /** The name of the copy; throws when another source has it already. The source must have a tag or a digest. */
  map(source: ImageReference): CopyName;
  /** True for an image at the location of copies. */
  isCopy(image: Repository): boolean;
}

export interface MapperOptions {
  readonly target: RegistryTarget;
  readonly mapping: Mapping;
  /** Existing copies, so that `basename` rejects a second source of a name: repository of the copy, its source. */
  readonly taken?: Iterable<readonly [copy: Repository, source: Repository]>;
}

export function createImageMapper({ target, mapping, taken = [] }: MapperOptions): ImageMapper {
  const sources = new Map<string, string>();
  for (const [copy, source] of taken) sources.set(renderRepository(copy), renderRepository(source));
  return {
    target,
    mapping,
    map(source) {
      const copy = mapRepository(source, target, mapping);
      const [name, from] = [renderRepository(copy), renderRepository(source)];
      const owner = sources.get(name);
      if (mapping === 'basename' && owner !== undefined && owner !== from)
        throw new ImageError(
          'image-mapping-taken',
          `${from} cannot be copied to ${name}: that is the copy of ${owner}; use the mapping "path" or "flat"`,
        );
      if (mapping === 'basename') sources.set(name, from);
      const { digest } = source;
      const tag = source.tag ?? (digest === undefined ? ('latest' as Tag) : tagOfDigest(digest));
      return { ...copy, tag, ...(digest === undefined ? {} : { digest }) };
    },
    isCopy: ({ registry, path }) =>
      registry.toLowerCase() === target.registry.toLowerCase() &&
      (target.prefix === '' || path.startsWith(`${target.prefix}/`)),
  };
}
