/** One tag of one repository, as listed by a registry. */
export interface TagCandidate {
  /** Path in the registry: `team-a/web`. */
  readonly repository: string;
  readonly tag: string;
  /** Undefined until it is requested, for registries that list only names. */
  readonly digest?: string | undefined;
  /** Milliseconds since the epoch; undefined if the registry does not report it. */
  readonly pushedAtMs?: number | undefined;
  /**
   * Without a push time: whether an earlier scan listed the tag, and whether it was detected last. Undefined if nothing
   * is known of earlier scans.
   */
  readonly seen?: 'new' | 'last' | 'before' | undefined;
  /** The build time of the image, if it was read. */
  readonly createdAtMs?: number | undefined;
}

/** Why a tag was chosen or not, as readable text. */
export interface TagDecision {
  readonly candidate: TagCandidate;
  readonly chosen: boolean;
  readonly reason: string;
  /** The prefix that `extractPrefix` found in the tag. */
  readonly prefix?: string | undefined;
}
