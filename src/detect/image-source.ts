import type { TagCandidate } from './candidate.ts';
import type { ImageMatcher } from './pattern.ts';

/** A registry as detection sees it. */
export interface ImageSource {
  /** Host of the images that the source tells of. */
  readonly registry: string;
  /** The matching repositories, page by page as they are listed. */
  repositories(matcher: ImageMatcher, signal: AbortSignal): AsyncIterable<readonly SourceRepository[]>;
  /** The tags of a repository. One request a page, not one a tag. */
  tags(repository: SourceRepository, signal: AbortSignal): Promise<readonly TagCandidate[]>;
  /** The digest of a tag, asked for only where `tags` did not tell. */
  digestOf(candidate: TagCandidate, signal: AbortSignal): Promise<string>;
  /** The digest of a tag and when its image was built, where `tags` tells no time of a push. */
  datesOf?(
    candidate: TagCandidate,
    signal: AbortSignal,
  ): Promise<{ readonly digest?: string | undefined; readonly createdAtMs?: number | undefined }>;
  close(): Promise<void>;
}

/** Whether a repository holds copies that were made of images elsewhere: nothing in it is news. */
export type IsCopy = (repository: SourceRepository) => boolean;

export interface SourceRepository {
  readonly path: string;
  /** Host of this repository's images, where a source has several. */
  readonly registry: string;
}

/** How many repositories are listed at once unless the policy says. */
export const defaultConcurrentScans = 10;
