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

/** `team-a/web` → `team-a-web`. */
export function imageNameOf(repository: string): string {
  return repository.replaceAll('/', '-');
}

/** Turns any text into a valid part of an object name. */
function legalName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** `webapp-frontend-v1-2-3-abc12345`. Different images may share it; see `clashingName`. */
export function detectedName({ repository, tag, digest }: DetectedIdentity): string {
  const end = digest.slice(digest.indexOf(':') + 1, digest.indexOf(':') + 1 + digestLength);
  const start = [legalName(imageNameOf(repository)), legalName(tag)].filter((part) => part !== '').join('-');
  return `${start.slice(0, maxNameLength - digestLength - 1).replace(/-+$/, '')}-${end}`;
}

/** The name with a hash of the whole identity, if another image already has the plain name. */
export function clashingName(identity: DetectedIdentity): string {
  const { policy, registry, repository, tag, digest } = identity;
  const hash = createHash('sha256').update([policy, registry, repository, tag, digest].join('\n')).digest('hex');
  return `${detectedName(identity).slice(0, maxNameLength - digestLength - 1)}-${hash.slice(0, digestLength)}`;
}
