import { type Anchor, parseAnchor, renderAnchor } from '../pattern/index.ts';
import { hasAnchors, isAddition, isGlobal, isPatchAnchor, isPlainCondition } from './anchor.ts';
import { clearAnchors, dropConditions, spacedAnchor } from './overlay-clean.ts';
import {
  documentOf,
  fieldOf,
  isEmpty,
  isMissing,
  type ListTree,
  type MapTree,
  removeField,
  setField,
  type Tree,
  type TreeBuilder,
  textOf,
  wrongKind,
} from './tree.ts';

/** Whether a value satisfies a validation pattern; upstream's `MatchPattern`. */
export type MatchesPattern = (value: unknown, pattern: unknown) => boolean;

/** The result of a part of the overlay: an unmet condition skips its element, an unmet global one the whole patch. */
type Applies = 'yes' | 'condition' | 'global';

/**
 * Resolves the anchors of a patch against the resource, in place: conditions are checked and removed, additions are kept
 * or removed, and a list element with conditions becomes one element for each element of the resource that meets them.
 * Afterwards the patch is an ordinary strategic merge patch.
 *
 * One copy of an element is shared by all elements that it is compared with, so the effect of `+()` on the first remains
 * for the next. This is upstream's behaviour, and published policies depend on it.
 */
export class Overlay {
  constructor(
    private readonly trees: TreeBuilder,
    private readonly matches: MatchesPattern,
  ) {}

  prepare(pattern: Tree, resource: Tree): Applies {
    const applies = this.walk(pattern, resource);
    if (applies === 'yes') dropConditions(pattern);
    return applies;
  }

  private walk(pattern: Tree, resource: Tree | undefined): Applies {
    if (pattern.kind === 'map') return this.walkMap(pattern, resource);
    if (pattern.kind === 'list' && pattern.items[0]?.kind === 'map') return this.walkElements(pattern, resource);
    return 'yes';
  }

  private walkMap(pattern: MapTree, resource: Tree | undefined): Applies {
    settleAdditions(pattern, resource);
    if (!this.meets(pattern, resource, isGlobal)) return 'global';
    if (!this.meets(pattern, resource, isPlainCondition)) return 'condition';
    for (const { key } of [...pattern.fields]) {
      if (isPatchAnchor(parseAnchor(key))) continue;
      const applies = this.walk(fieldOf(pattern, key)!, fieldOf(resource, key));
      if (applies !== 'yes') return applies;
    }
    return 'yes';
  }

  private walkElements(pattern: ListTree, resource: Tree | undefined): Applies {
    if (!isMissing(resource) && resource.kind !== 'list') throw wrongKind('list', resource);
    const elements = resource?.kind === 'list' ? resource.items : [];
    for (const patternElement of [...pattern.items]) {
      if (!hasAnchors(patternElement, isPatchAnchor)) continue;
      const applies = this.walkElement(pattern, patternElement, resource === undefined ? undefined : elements);
      if (applies !== 'yes') return applies;
    }
    return 'yes';
  }

  private walkElement(pattern: ListTree, patternElement: Tree, elements: readonly Tree[] | undefined): Applies {
    const global = hasAnchors(patternElement, isGlobal);
    const copy = this.trees.copy(patternElement);
    if (!elements) return this.walk(copy, undefined) === 'global' ? 'global' : 'yes';
    let passed = false;
    let failed = false;
    for (const element of elements) {
      const applies = this.walk(copy, element);
      if (applies === 'global') failed = true;
      if (applies !== 'yes') continue;
      if (global) passed = true;
      else this.appendFor(pattern, copy, element);
    }
    return failed && !passed ? 'global' : 'yes';
  }

  /** Adds the elements that the conditions selected to the patch, addressed by name. */
  private appendFor(pattern: ListTree, patternElement: Tree, element: Tree): void {
    const name = fieldOf(element, 'name');
    if (!name || isEmpty(name)) return;
    const selected = this.trees.copy(patternElement);
    if (clearAnchors(selected, true)) return;
    if (selected.kind === 'map') setField(selected, 'name', this.trees.copy(name));
    pattern.items.push(selected);
  }

  private meets(pattern: MapTree, resource: Tree | undefined, which: (anchor: Anchor) => boolean): boolean {
    for (const anchor of anchorsOf(pattern, which)) {
      const value = fieldOf(resource, anchor.key);
      if (value === undefined) return false;
      const condition = fieldOf(pattern, textOfAnchor(anchor));
      if (!condition) throw spacedAnchor(anchor);
      if (settleAdditions(condition, value) > 0) continue;
      if (!this.matches(plainOf(value), plainOf(condition))) return false;
    }
    return true;
  }
}

/** Scalars are compared as texts; values inside maps and lists keep their type. */
const plainOf = (tree: Tree): unknown => (tree.kind === 'scalar' ? textOf(tree) : documentOf(tree));

const textOfAnchor = (anchor: Anchor): string => renderAnchor(anchor.kind, anchor.key);

function anchorsOf(pattern: Tree, which: (anchor: Anchor) => boolean): readonly Anchor[] {
  if (pattern.kind !== 'map') return [];
  return pattern.fields.flatMap(({ key }) => {
    const anchor = parseAnchor(key);
    return anchor && which(anchor) ? [anchor] : [];
  });
}

/** `+(x)` becomes `x`, or is removed if the resource has `x`. Returns the number of such keys. */
function settleAdditions(pattern: Tree, resource: Tree | undefined): number {
  const additions = anchorsOf(pattern, isAddition);
  if (pattern.kind !== 'map') return 0;
  for (const { kind, key } of additions) {
    const text = renderAnchor(kind, key);
    if (fieldOf(resource, key) !== undefined) removeField(pattern, text);
    else {
      const field = pattern.fields.find((candidate) => candidate.key === text);
      if (field) field.key = key;
    }
  }
  return additions.length;
}
