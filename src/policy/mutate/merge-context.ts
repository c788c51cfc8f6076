import type { ListField, ListKeys } from './list-keys.ts';
import type { Tree } from './tree.ts';

/** One position of a merge: the nodes of both sides, and its schema. */
export interface MergeContext {
  readonly resource: Tree | undefined;
  readonly patch: Tree | undefined;
  /** The schema of this position; undefined if it is not known. */
  readonly field: ListField | undefined;
  /** True below an object whose schema is known: an embedded object has the schema of its position, not its own. */
  readonly inside: boolean;
  readonly listKeys: ListKeys;
}

export type Merge = (context: MergeContext) => Tree | undefined;
