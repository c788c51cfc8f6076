import { isJsonObject } from '../../base/index.ts';
import { PolicyError } from '../errors.ts';
import { compilePattern } from '../pattern/index.ts';
import { builtInListKeys, type ListKeys } from './list-keys.ts';
import { merge } from './merge.ts';
import { type MatchesPattern, Overlay } from './overlay.ts';
import { documentOf, TreeBuilder } from './tree.ts';
import { isUnchanged } from './unchanged.ts';

export type MergeOutcome =
  | { readonly kind: 'patched'; readonly resource: unknown }
  | { readonly kind: 'skip'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

interface MergeOptions {
  /** The source of the merge keys of lists; by default the built-in kinds. */
  readonly listKeys?: ListKeys;
}

const matches: MatchesPattern = (value, pattern) => compilePattern(pattern).match(value).kind === 'pass';

/** Upstream's message when a patch changes nothing, by its conditions or because the values are already set. */
export const nothingToDo: MergeOutcome = { kind: 'skip', message: 'no patches applied' };

/**
 * Applies a `patchStrategicMerge` whose variables are resolved. Neither argument is changed; the patched resource shares
 * nothing with them.
 */
export function mergeStrategic(patch: unknown, resource: unknown, options: MergeOptions = {}): MergeOutcome {
  try {
    const trees = new TreeBuilder();
    const overlay = trees.build(patch);
    const target = trees.build(resource);
    const applies = new Overlay(trees, matches).prepare(overlay, target);
    const merged = merge({
      resource: target,
      // The merge runs without a patch too: it removes duplicate keys of the resource.
      patch: applies === 'yes' ? overlay : { kind: 'map', fields: [] },
      field: undefined,
      inside: false,
      listKeys: options.listKeys ?? builtInListKeys,
    });
    if (!merged) return { kind: 'error', message: 'filter cannot create or delete objects' };
    const patched = documentOf(merged);
    if (!isJsonObject(patched)) return { kind: 'error', message: 'the patched resource is not an object' };
    return isUnchanged(resource, patched) ? nothingToDo : { kind: 'patched', resource: patched };
  } catch (thrown) {
    if (!(thrown instanceof PolicyError)) throw thrown;
    return { kind: 'error', message: thrown.message };
  }
}
