import { type Anchor, parseAnchor } from '../pattern/index.ts';
import { isEmpty, type Tree, textOf } from './tree.ts';

export const isGlobal = (anchor: Anchor | undefined): boolean => anchor?.kind === 'global';
export const isPlainCondition = (anchor: Anchor | undefined): boolean => anchor?.kind === 'condition';
export const isCondition = (anchor: Anchor | undefined): boolean => isGlobal(anchor) || isPlainCondition(anchor);
export const isAddition = (anchor: Anchor | undefined): boolean => anchor?.kind === 'add';
/** True for the anchors that the overlay resolves; the others are part of the pattern of a condition. */
export const isPatchAnchor = (anchor: Anchor | undefined): boolean => isCondition(anchor) || isAddition(anchor);

/** True if the tree or a descendant has such an anchor. A text that looks like a condition counts. */
export function hasAnchors(tree: Tree, which: (anchor: Anchor | undefined) => boolean): boolean {
  if (tree.kind === 'scalar') return isCondition(parseAnchor(textOf(tree)));
  if (tree.kind === 'list') return tree.items.some((item) => hasAnchors(item, which));
  return tree.fields.some(({ key, value }) => which(parseAnchor(key)) || (!isEmpty(value) && hasAnchors(value, which)));
}
