import type { MirroredImage } from '../api/index.ts';
import { parseReference, renderRepository } from '../image/index.ts';
import { hasConflictingSource } from './mirrored-images.ts';

/**
 * Which source may write to which repository of the backup registry. Under `path` and `flat` each source has its own.
 * Under `basename` the first source owns the name as long as an image of it exists. Only one process copies at a time,
 * so claims in memory, together with the recorded copies, are sufficient.
 */
export interface NameClaims {
  /** The source that owns the name, or undefined when `image` owns it now. */
  claim(image: MirroredImage): Promise<string | undefined>;
  /** Called when a copy ended: the name may be claimed by another source, unless a copy exists. */
  release(image: MirroredImage): void;
}

interface NameClaimsOptions {
  /** All images, read from the API server and not from the watch. */
  readonly listImages: () => Promise<readonly MirroredImage[]>;
}

export const noClaims: NameClaims = { claim: async () => undefined, release: () => {} };

export function createNameClaims({ listImages }: NameClaimsOptions): NameClaims {
  /** Repository of the copy → the images being copied there, all of one source. */
  const busy = new Map<string, Map<string, MirroredImage>>();
  return {
    async claim(image) {
      const holders = busy.get(copyOf(image)) ?? new Map<string, MirroredImage>();
      const other = [...holders.values()].find((one) => sourceOf(one) !== sourceOf(image));
      if (other) return other.spec.source;
      // Claim before the first await, so that concurrent claims see it.
      busy.set(copyOf(image), holders.set(image.metadata.name ?? '', image));
      const conflicting = (await listImages()).find((one) => hasConflictingSource(one, image.spec));
      if (!conflicting) return undefined;
      this.release(image);
      return conflicting.spec.source;
    },
    release(image) {
      const holders = busy.get(copyOf(image));
      holders?.delete(image.metadata.name ?? '');
      if (holders?.size === 0) busy.delete(copyOf(image));
    },
  };
}

const copyOf = ({ spec }: MirroredImage) => renderRepository(parseReference(spec.copy));
const sourceOf = ({ spec }: MirroredImage) => renderRepository(parseReference(spec.source));
