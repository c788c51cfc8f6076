import type { MatchBlock, ResourceFilter } from '../types.ts';

/** Every filter of a block, in whichever form it is written; the block itself is one. */
export function filtersOf(block: MatchBlock | null | undefined): readonly ResourceFilter[] {
  if (!block) return [];
  return [block, ...(block.any ?? []), ...(block.all ?? [])].filter((filter) => filter !== null);
}

/** The operations that a match names; empty where it leaves them open. */
export function matchedOperations(match: MatchBlock | undefined): ReadonlySet<string> {
  return new Set(filtersOf(match).flatMap(({ resources }) => resources?.operations ?? []));
}
