import { createHash } from 'node:crypto';

export interface DetectedIdentity {
  /** `namespace/name` of the policy. */
  readonly policy: string;
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

const maxNameLength = 253;
const digestLength = 8;

/** `team-a/web` → `team-a-web`: what people know an image by. */
export function imageNameOf(repository: string): string {
  return repository.replaceAll('/', '-');
}

/** A legal part of an object's name, whatever the text. */
export function legalName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** `webapp-frontend-v1-2-3-abc12345`. Different images may share it; `clashingName` tells them apart. */
export function detectedName({ repository, tag, digest }: DetectedIdentity): string {
  const end = digest.slice(digest.indexOf(':') + 1, digest.indexOf(':') + 1 + digestLength);
  const start = [legalName(imageNameOf(repository)), legalName(tag)].filter((part) => part !== '').join('-');
  return `${start.slice(0, maxNameLength - digestLength - 1).replace(/-+$/, '')}-${end}`;
}

/** The same with a suffix made of the whole identity, for when another image has the plain name. */
export function clashingName(identity: DetectedIdentity): string {
  const { policy, registry, repository, tag, digest } = identity;
  const hash = createHash('sha256').update([policy, registry, repository, tag, digest].join('\n')).digest('hex');
  return `${detectedName(identity).slice(0, maxNameLength - digestLength - 1)}-${hash.slice(0, digestLength)}`;
}
