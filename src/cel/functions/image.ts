import type { FunctionDecl } from '../environment.ts';
import { boolType, opaqueType, stringType } from '../types.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, form, member } from './declare.ts';

/**
 * Image references in the terms of go-containerregistry, whose weak validation Kyverno uses: Docker Hub is
 * `index.docker.io`, a reference without a tag and digest has the tag `latest`, and one with both has the digest alone.
 */
const imageType = opaqueType('kyverno.image');

class CelImage extends CelOpaque {
  readonly typeName = imageType.name;
  readonly size = 1;
  constructor(
    readonly registry: string,
    readonly repository: string,
    readonly tag: string,
    readonly digest: string,
  ) {
    super();
  }
  get identifier(): string {
    return this.digest || this.tag;
  }
  equals(other: unknown): boolean | undefined {
    if (!(other instanceof CelImage)) return undefined;
    return (
      this.registry === other.registry && this.repository === other.repository && this.identifier === other.identifier
    );
  }
}

const defaultRegistry = 'index.docker.io';
const repositoryPattern = /^[a-z0-9_\-./]{2,255}$/;
const tagPattern = /^[A-Za-z0-9_\-.]{1,128}$/;
const registryPattern = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._\-~]+)(?::[0-9]*)?$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

interface Named {
  readonly registry: string;
  readonly repository: string;
}

function parseRepository(name: string): Named | undefined {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = slash >= 0 && (first === 'localhost' || /[.:]/.test(first));
  const written = hasRegistry ? first : defaultRegistry;
  const path = hasRegistry ? name.slice(slash + 1) : name;
  if (!repositoryPattern.test(path) || !registryPattern.test(written)) return undefined;
  const registry = written === 'docker.io' ? defaultRegistry : written;
  const isOfficial = registry === defaultRegistry && !path.includes('/');
  return { registry, repository: isOfficial ? `library/${path}` : path };
}

function parseTagged(text: string): (Named & { readonly tag: string }) | undefined {
  const colon = text.lastIndexOf(':');
  const hasTag = colon >= 0 && !text.slice(colon).includes('/');
  const tag = hasTag ? text.slice(colon + 1) : '';
  if (tag !== '' && !tagPattern.test(tag)) return undefined;
  const named = parseRepository(hasTag ? text.slice(0, colon) : text);
  return named && { ...named, tag: tag || 'latest' };
}

function parseImage(text: string): CelImage | CelError {
  const tagged = parseTagged(text);
  if (tagged) return new CelImage(tagged.registry, tagged.repository, tagged.tag, '');
  const [base = '', digest = '', ...more] = text.split('@');
  const named =
    more.length === 0 && digestPattern.test(digest) ? (parseTagged(base) ?? parseRepository(base)) : undefined;
  return named
    ? new CelImage(named.registry, named.repository, '', digest)
    : new CelError(`could not parse reference: ${text}`);
}

const property = (name: string, id: string, read: (image: CelImage) => string) =>
  declare(name, member(`image_${id}`, [imageType], stringType, read));

export const imageFunctions: readonly FunctionDecl[] = [
  declare('image', form('string_to_image_deprecated', [stringType], imageType, parseImage)),
  declare('parseImageReference', form('string_to_image', [stringType], imageType, parseImage)),
  declare(
    'isImage',
    form('is_image_string', [stringType], boolType, (text: string) => parseImage(text) instanceof CelImage),
  ),
  declare(
    'containsDigest',
    member('image_contains_digest', [imageType], boolType, ({ digest }: CelImage) => digest !== ''),
  ),
  property('registry', 'registry', ({ registry }) => registry),
  property('repository', 'repository', ({ repository }) => repository),
  property('identifier', 'identifier', ({ identifier }) => identifier),
  property('identifierWithSeparator', 'identifier_with_separator', ({ digest, tag }) =>
    digest === '' ? `:${tag}` : `@${digest}`,
  ),
  property('tag', 'tag', ({ tag }) => tag),
  property('digest', 'digest', ({ digest }) => digest),
];
