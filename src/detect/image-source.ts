import type { TagCandidate } from './candidate.ts';
import type { ImageMatcher } from './pattern.ts';

/** The registry interface of detection. */
export interface ImageSource {
  /** Host of the images of this source. */
  readonly registry: string;
  /** The matching repositories, page by page. */
  repositories(matcher: ImageMatcher, signal: AbortSignal): AsyncIterable<readonly SourceRepository[]>;
  /** The tags of a repository. One request per page, not per tag. */
  tags(repository: SourceRepository, signal: AbortSignal): Promise<readonly TagCandidate[]>;
  /** The digest of a tag. Called only if `tags` has none. */
  digestOf(candidate: TagCandidate, signal: AbortSignal): Promise<string>;
  /** The digest of a tag and the build time of its image, for sources without push times. */
  datesOf?(
    candidate: TagCandidate,
    signal: AbortSignal,
  ): Promise<{ readonly digest?: string | undefined; readonly createdAtMs?: number | undefined }>;
  close(): Promise<void>;
}

/** Whether a repository holds copies of images from elsewhere. Nothing in it counts as new. */
export type IsCopy = (repository: SourceRepository) => boolean;

export interface SourceRepository {
  readonly path: string;
  /** Host of this repository's images, for sources with several hosts. */
  readonly registry: string;
}

/** Repositories listed in parallel, unless the policy sets it. */
export const defaultConcurrentScans = 10;
