import type { ListField, ListKeys } from './list-keys.ts';
import type { Tree } from './tree.ts';

/** One place of a merge: what stands there on both sides, and what is known of it. */
export interface MergeContext {
  readonly resource: Tree | undefined;
  readonly patch: Tree | undefined;
  /** What the schema says of this place; nothing where no schema knows it. */
  readonly field: ListField | undefined;
  /** True below an object whose schema is known: an object embedded there has the schema of its place, not its own. */
  readonly inside: boolean;
  readonly listKeys: ListKeys;
}

export type Merge = (context: MergeContext) => Tree | undefined;
