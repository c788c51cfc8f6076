import type { MirroredImage } from '../api/index.ts';
import { parseReference, renderRepository } from '../image/index.ts';
import { hasConflictingSource } from './mirrored-images.ts';

/**
 * Who may write to which repository of the backup registry. Under `path` and `flat` everybody has their own; under
 * `basename` the first source has the name, for as long as there is an image of it. One process copies at a time, so
 * that a claim in its memory, with what the cluster says of copies made before, is enough.
 */
export interface NameClaims {
  /** The source that has the name, or undefined when `image` has it now. */
  claim(image: MirroredImage): Promise<string | undefined>;
  /** Called when a copy came to nothing: somebody else may have the name. */
  release(image: MirroredImage): void;
}

export interface NameClaimsOptions {
  /** All images, as the API server has them and not as the watch knows them. */
  readonly listImages: () => Promise<readonly MirroredImage[]>;
}

export const noClaims: NameClaims = { claim: async () => undefined, release: () => {} };

export function createNameClaims({ listImages }: NameClaimsOptions): NameClaims {
  /** Repository of the copy → the images whose copies are under way there, all of one source. */
  const busy = new Map<string, Map<string, MirroredImage>>();
  return {
    async claim(image) {
      const holders = busy.get(copyOf(image)) ?? new Map<string, MirroredImage>();
      const other = [...holders.values()].find((one) => sourceOf(one) !== sourceOf(image));
      if (other) return other.spec.source;
      // Claimed before anything is awaited: whoever comes now sees it.
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
