import { type Digest, parseDigest } from './digest.ts';
import { ImageError, quote } from './errors.ts';
import { checkRepositoryPath, parseRegistryHost } from './repository-name.ts';
import { parseTag, type Tag } from './tag.ts';

/** A repository: a registry (`docker.io`, `localhost:5000`) and a path in it (`library/busybox`). */
export interface Repository {
  readonly registry: string;
  readonly path: string;
}

/** An image by tag, by digest, or by both; then the digest decides and the tag is informational. */
export interface ImageReference extends Repository {
  readonly tag?: Tag | undefined;
  readonly digest?: Digest | undefined;
}

/** Longer than any valid reference; longer text is rejected before it is parsed. */
const maxReferenceLength = 1024;

const defaultRegistry = 'docker.io';
const identifier = /^[a-f0-9]{64}$/;

/**
 * Parses a reference as Docker and containerd's CRI do: `busybox` is `docker.io/library/busybox`, the part before the
 * first slash is a registry when it has a dot, a colon or a capital letter, or is `localhost`. No tag is added;
 * `withDefaultTag` does that.
 */
export function parseReference(text: string): ImageReference {
  const refuse = (why: string) => new ImageError('image-reference-invalid', `${quote(text)} is no image: ${why}`);
  if (text === '') throw refuse('it is empty');
  if (text.length > maxReferenceLength) throw refuse(`it has ${text.length} characters`);
  if (text !== text.trim() || /\s/.test(text)) throw refuse('it has blanks in it');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw refuse('leave out what stands before "://"');
  if (identifier.test(text)) throw refuse('64 hexadecimal digits are the id of an image, not its name');
  const at = text.indexOf('@');
  const digest = at === -1 ? undefined : parsePart(() => parseDigest(text.slice(at + 1)), refuse);
  const named = at === -1 ? text : text.slice(0, at);
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/') && !named.endsWith(']');
  const { registry, path } = splitRepository(hasTag ? named.slice(0, colon) : named, refuse);
  checkRepositoryPath(path, text);
  const tag = hasTag ? parsePart(() => parseTag(named.slice(colon + 1)), refuse) : undefined;
  return { registry, path, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** Parses a repository: a reference without tag and digest. */
export function parseRepository(text: string): Repository {
  const { tag, digest, ...repository } = parseReference(text);
  if (tag !== undefined || digest !== undefined)
    throw new ImageError(
      'image-reference-invalid',
      `${quote(text)} names one image; a repository has no tag or digest`,
    );
  return repository;
}

function splitRepository(name: string, refuse: (why: string) => ImageError): Repository {
  const slash = name.indexOf('/');
  const head = slash === -1 ? '' : name.slice(0, slash);
  if (!/[.:]/.test(head) && head !== 'localhost' && head === head.toLowerCase())
    return { registry: defaultRegistry, path: slash === -1 ? `library/${name}` : name };
  const registry = parsePart(() => parseRegistryHost(head), refuse);
  const rest = name.slice(slash + 1);
  return {
    registry,
    path: registry === defaultRegistry && rest !== '' && !rest.includes('/') ? `library/${rest}` : rest,
  };
}

function parsePart<T>(parse: () => T, refuse: (why: string) => ImageError): T {
  try {
    return parse();
  } catch (thrown) {
    throw thrown instanceof ImageError ? refuse(thrown.message) : thrown;
  }
}

/** Adds `latest` when there is neither a tag nor a digest. */
export function withDefaultTag<T extends ImageReference>(reference: T): T {
  if (reference.tag !== undefined || reference.digest !== undefined) return reference;
  return { ...reference, tag: 'latest' as Tag };
}

export const renderRepository = ({ registry, path }: Repository) => `${registry}/${path}`;

/** The full form: `docker.io/library/busybox:1.36@sha256:…`. */
export function renderReference(reference: ImageReference): string {
  return `${renderRepository(reference)}${renderVersion(reference)}`;
}

/** The short form that people write: `busybox:1.36`. */
export function renderFamiliar(reference: ImageReference): string {
  const { registry, path } = reference;
  if (registry !== defaultRegistry) return renderReference(reference);
  const short = path.startsWith('library/') && path.indexOf('/', 8) === -1 ? path.slice(8) : path;
  const head = short.slice(0, Math.max(0, short.indexOf('/')));
  // A path such as `localhost/x` on Docker Hub would be parsed as another registry.
  const isAmbiguous = /[.:]/.test(head) || head === 'localhost' || identifier.test(short);
  return `${isAmbiguous ? renderRepository(reference) : short}${renderVersion(reference)}`;
}

function renderVersion({ tag, digest }: ImageReference): string {
  return `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

export function isSameRepository(one: Repository, other: Repository): boolean {
  return one.path === other.path && one.registry.toLowerCase() === other.registry.toLowerCase();
}
