import { type ImageReference, parseReference } from '../image/index.ts';
import type { ImageIndex, ImageUse } from '../inventory/index.ts';

export type DuplicateCheck = 'repository' | 'exact' | 'baseName';

/** The prefix that a policy extracts from a tag. The same function that detection uses. */
export type PrefixOf = (tag: string) => string | undefined;

interface DuplicateQuery {
  readonly fullImageName: string;
  readonly imageDigest: string;
  /** Undefined if the policy extracts no prefix: then all tags of a repository count as one lineage. */
  readonly tagPrefix?: string | undefined;
  readonly check: DuplicateCheck;
  readonly prefixOf: PrefixOf;
  /** The prefix under which a digest was detected, for workloads that run an image by digest alone. */
  readonly prefixOfDigest: (digest: string) => string | undefined;
}

export type SkipReason = 'AlreadyDeployed' | 'DelegatedToGitOps' | 'Superseded';

export interface DuplicateResult {
  readonly uses: readonly ImageUse[];
  /** Undefined if the image may be committed. */
  readonly reason: SkipReason | undefined;
}

/** Whether the cluster already runs the image, or another version of it that GitOps manages. Pure. */
export function findDuplicates(query: DuplicateQuery, index: ImageIndex): DuplicateResult {
  const image = parseReference(query.fullImageName);
  const isExact = (use: ImageUse) => isSameImage(use.reference, image, query.imageDigest);
  const uses = candidates(query.check, image, index).filter((use) =>
    query.check === 'exact' ? isExact(use) : hasSamePrefix(use.reference, query),
  );
  if (uses.length === 0) return { uses, reason: undefined };
  return { uses, reason: uses.some(isExact) ? 'AlreadyDeployed' : 'DelegatedToGitOps' };
}

function candidates(check: DuplicateCheck, image: ImageReference, index: ImageIndex): readonly ImageUse[] {
  return check === 'baseName' ? index.usesOfBaseName(image) : index.usesOfRepository(image);
}

/** The digest identifies the image; without a digest the tag does. */
function isSameImage(used: ImageReference, image: ImageReference, digest: string): boolean {
  if (used.registry !== image.registry || used.path !== image.path) return false;
  return used.digest === undefined ? used.tag === image.tag : used.digest === digest;
}

function hasSamePrefix(
  used: ImageReference,
  { tagPrefix, prefixOf, prefixOfDigest, imageDigest }: DuplicateQuery,
): boolean {
  if (tagPrefix === undefined) return true;
  // A tag that the policy does not select, for example one set by hand, is compared by its text: `dev`, `dev-custom`.
  if (used.tag !== undefined) {
    const prefix = prefixOf(used.tag);
    if (prefix !== undefined) return prefix === tagPrefix;
    return tagPrefix !== '' && (used.tag === tagPrefix || used.tag.startsWith(`${tagPrefix}-`));
  }
  return used.digest === imageDigest || (used.digest !== undefined && prefixOfDigest(used.digest) === tagPrefix);
}
