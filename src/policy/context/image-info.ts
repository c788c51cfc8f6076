import { PolicyError } from '../errors.ts';

/** An image reference in the parts that policies read. */
export interface ImageInfo {
  readonly registry?: string;
  readonly name: string;
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
  readonly reference: string;
  readonly referenceWithTag: string;
}

const defaultRegistry = 'docker.io';
const name = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Parses a reference as Kyverno does: docker.io is added, `library/` is not, and with a digest the tag is empty. */
export function parseImage(image: string): ImageInfo {
  const full = hasRegistry(image) ? image : `${defaultRegistry}/${image}`;
  const at = full.indexOf('@');
  const digest = at === -1 ? '' : full.slice(at + 1);
  const withoutDigest = at === -1 ? full : full.slice(0, at);
  const colon = withoutDigest.lastIndexOf(':');
  const hasTag = colon > withoutDigest.lastIndexOf('/');
  const tag = hasTag ? withoutDigest.slice(colon + 1) : '';
  const repository = hasTag ? withoutDigest.slice(0, colon) : withoutDigest;
  const slash = repository.indexOf('/');
  const registry = repository.slice(0, slash);
  const path = repository.slice(slash + 1);
  if (!name.test(path) || (hasTag && !tagForm.test(tag)) || (at !== -1 && !digestForm.test(digest))) {
    throw new PolicyError('policy-image-invalid', `bad image: ${full}: it is not a valid reference`);
  }
  const shownTag = tag === '' && digest === '' ? 'latest' : tag;
  return {
    registry,
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    ...(shownTag === '' ? {} : { tag: shownTag }),
    ...(digest === '' ? {} : { digest }),
    reference: digest === '' ? `${registry}/${path}:${shownTag}` : `${registry}/${path}@${digest}`,
    referenceWithTag: `${registry}/${path}:${shownTag}`,
  };
}

function hasRegistry(image: string): boolean {
  const slash = image.indexOf('/');
  if (slash === -1) return false;
  const head = image.slice(0, slash);
  return /[.:]/.test(head) || head === 'localhost' || head.toLowerCase() !== head;
}
