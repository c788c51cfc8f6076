import type { Digest, Tag } from '../../image/index.ts';

/** Progress of a copy, for displays, logs and metrics. */
export type CopyEvent =
  | { readonly kind: 'resolved'; readonly digest: Digest; readonly mediaType: string }
  /** A blob is needed; its size counts towards the total. */
  | { readonly kind: 'blob-found'; readonly digest: Digest; readonly size: number }
  /**
   * Nothing is transferred: the target has the blob, mounts it from another repository, or only the publisher
   * distributes it.
   */
  | {
      readonly kind: 'blob-skipped';
      readonly digest: Digest;
      readonly size: number;
      readonly why: 'present' | 'mounted' | 'foreign';
    }
  | { readonly kind: 'blob-progress'; readonly digest: Digest; readonly size: number; readonly doneBytes: number }
  | { readonly kind: 'blob-resumed'; readonly digest: Digest; readonly offset: number; readonly why: string }
  | { readonly kind: 'blob-copied'; readonly digest: Digest; readonly size: number }
  | { readonly kind: 'manifest-put'; readonly digest: Digest; readonly tag?: Tag | undefined };

/** Totals of a copy; on a dry run, what they would be. */
export interface CopyTotals {
  readonly manifests: number;
  readonly referrers: number;
  readonly copiedBlobs: number;
  readonly copiedBytes: number;
  readonly mountedBlobs: number;
  readonly presentBlobs: number;
}

export type MutableTotals = { -readonly [key in keyof CopyTotals]: CopyTotals[key] };

export const noTotals = (): MutableTotals => ({
  manifests: 0,
  referrers: 0,
  copiedBlobs: 0,
  copiedBytes: 0,
  mountedBlobs: 0,
  presentBlobs: 0,
});
