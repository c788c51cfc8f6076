import type { Digest, Tag } from '../../image/index.ts';

/** What happens during a copy, for displays, logs and metrics. */
export type CopyEvent =
  | { readonly kind: 'resolved'; readonly digest: Digest; readonly mediaType: string }
  /** A blob is known to be needed; its size counts towards the whole. */
  | { readonly kind: 'blob-found'; readonly digest: Digest; readonly size: number }
  /** Nothing travels: the target has it, takes it from another repository, or the publisher keeps it. */
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

/** What a copy came to; on a dry run, what it would come to. */
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
