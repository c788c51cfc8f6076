import type { MatchBlock } from '../types.ts';
import { compileKinds, type KindMatcher } from './kind-selector.ts';

/** Whether a match block can be for objects of a kind at all: what an index of rules is made of. */
export function compileMayMatchKind(match: MatchBlock = {}): KindMatcher {
  const matchers = (match.any?.length ? match.any : match.all?.length ? match.all : [match]).map(({ resources }) =>
    resources?.kinds?.length ? compileKinds(resources.kinds) : () => true,
  );
  return match.any?.length
    ? (kind, subresource) => matchers.some((concerns) => concerns(kind, subresource))
    : (kind, subresource) => matchers.every((concerns) => concerns(kind, subresource));
}
