import type { MatchBlock, ResourceFilter } from '../types.ts';

/** All filters of a block in any of its forms; the block itself is one of them. */
export function filtersOf(block: MatchBlock | null | undefined): readonly ResourceFilter[] {
  if (!block) return [];
  return [block, ...(block.any ?? []), ...(block.all ?? [])].filter((filter) => filter !== null);
}

/** The operations that a match names; empty if it names none. */
export function matchedOperations(match: MatchBlock | undefined): ReadonlySet<string> {
  return new Set(filtersOf(match).flatMap(({ resources }) => resources?.operations ?? []));
}
