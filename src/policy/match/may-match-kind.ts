import type { MatchBlock } from '../types.ts';
import { compileKinds, type KindMatcher } from './kind-selector.ts';

/** Whether a match block may match objects of a kind, for indexes of rules by kind. */
export function compileMayMatchKind(match: MatchBlock = {}): KindMatcher {
  const matchers = (match.any?.length ? match.any : match.all?.length ? match.all : [match]).map(({ resources }) =>
    resources?.kinds?.length ? compileKinds(resources.kinds) : () => true,
  );
  return match.any?.length
    ? (kind, subresource) => matchers.some((mayMatch) => mayMatch(kind, subresource))
    : (kind, subresource) => matchers.every((mayMatch) => mayMatch(kind, subresource));
}
