import type { ImageDetected, ResourceTemplate } from '../api/index.ts';
import type { PlannedFile } from './file-plan.ts';

/** One detection on its way into a commit. */
export interface PublishItem {
  readonly detection: ImageDetected;
  readonly template: ResourceTemplate;
  readonly files: readonly PlannedFile[];
  /** What the template says of this detection in the commit message. */
  readonly message: string;
  /** True leaves files that are there as they are: their version is GitOps' business. */
  readonly keepsFiles: boolean;
  /** Earlier detections of the same thing that were committed: while one of their files is there, this one is not wanted. */
  readonly precedents: readonly ImageDetected[];
  /** True when a process may have pushed this very detection and died before it could say so. */
  readonly mayBePushed: boolean;
  /** Only looked for in the branch, and not written: another version was detected since. */
  readonly isSuperseded?: boolean;
}

/** What became of it. */
export type PublishResult =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly files: readonly string[];
      /** It had been pushed before. */
      readonly isRecovered: boolean;
    }
  /** All of it was there, committed by someone else or for an earlier detection. */
  | { readonly kind: 'present'; readonly files: readonly string[]; readonly precedent?: string | undefined }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'failed'; readonly thrown: unknown };

export const detectionTrailer = 'Supercargo-Detection';

/** By the uid, not the name: an object that was made anew is another detection. */
export function trailerValue({ metadata }: Pick<ImageDetected, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name} ${metadata.uid}`;
}

export function uidOfTrailer(value: string): string {
  return value.slice(value.lastIndexOf(' ') + 1);
}
