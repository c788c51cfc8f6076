import type { ImageResourcePolicy } from '../../api/index.ts';
import type { PrefixOf } from '../../create/index.ts';
import { compileSelection, SelectionError } from '../../detect/index.ts';

/** The prefix of a tag, from the same function that detection uses. */
export function prefixesOf({ spec }: Pick<ImageResourcePolicy, 'spec'>): PrefixOf {
  try {
    const selection = compileSelection(spec.policy);
    return (tag) => selection.decide([{ repository: 'any', tag }])[0]?.prefix;
  } catch (thrown) {
    // A policy that has become invalid selects no tag.
    if (thrown instanceof SelectionError) return () => undefined;
    throw thrown;
  }
}
