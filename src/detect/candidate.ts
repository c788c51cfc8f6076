/** One tag of one repository, as a registry tells of it. */
export interface TagCandidate {
  /** Path in the registry: `team-a/web`. */
  readonly repository: string;
  readonly tag: string;
  /** Unknown until it is asked for where a registry lists names alone. */
  readonly digest?: string | undefined;
  /** Milliseconds since the epoch; not every registry knows. */
  readonly pushedAtMs?: number | undefined;
  /**
   * Where no time of a push is known: whether an earlier scan listed the tag, and whether it is the one that was detected
   * last. Undefined when nothing is known of earlier scans.
   */
  readonly seen?: 'new' | 'last' | 'before' | undefined;
  /** When the image was built, where it was read. */
  readonly createdAtMs?: number | undefined;
}

/** Why a tag was chosen or not, in words a person can read. */
export interface TagDecision {
  readonly candidate: TagCandidate;
  readonly chosen: boolean;
  readonly reason: string;
  /** What `extractPrefix` found in the tag. */
  readonly prefix?: string | undefined;
}
