import type { ImageDetected, ResourceTemplate } from '../api/index.ts';
import type { PlannedFile } from './file-plan.ts';

/** One detection to be committed. */
export interface PublishItem {
  readonly detection: ImageDetected;
  readonly template: ResourceTemplate;
  readonly files: readonly PlannedFile[];
  /** The commit message of the template for this detection. */
  readonly message: string;
  /** True keeps existing files: GitOps manages their version. */
  readonly keepsFiles: boolean;
  /** Earlier committed detections of the same lineage. While one of their files exists, this one is not committed. */
  readonly precedents: readonly ImageDetected[];
  /** True if a process may have pushed this detection and died before it wrote the status. */
  readonly mayBePushed: boolean;
  /** Only search the branch, do not write: another version was detected since. */
  readonly isSuperseded?: boolean;
}

/** The result of publishing one detection. */
export type PublishResult =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly files: readonly string[];
      /** It was pushed by an earlier attempt. */
      readonly isRecovered: boolean;
    }
  /** All files exist, committed by another author or for an earlier detection. */
  | { readonly kind: 'present'; readonly files: readonly string[]; readonly precedent?: string | undefined }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'failed'; readonly thrown: unknown };

export const detectionTrailer = 'Supercargo-Detection';

/** By uid, not by name: a recreated object is another detection. */
export function trailerValue({ metadata }: Pick<ImageDetected, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name} ${metadata.uid}`;
}

export function uidOfTrailer(value: string): string {
  return value.slice(value.lastIndexOf(' ') + 1);
}
