import { setOwn } from '../../base/index.ts';
import { parseAnchor, renderAnchor } from './anchor.ts';
import type { PatternFailure } from './failure.ts';
import type { Entry } from './map.ts';
import { type Fields, fieldOf, isFields, type MatchRun } from './run.ts';
import { containsWildcard, matchesWildcard } from './wildcard.ts';

type MapCheck = (fields: Fields, path: string, run: MatchRun) => PatternFailure | undefined;

/** Objects have few different sets of matching keys; beyond this number the cache is cleared. */
const maxVariants = 64;
const tags = ['labels', 'annotations'];

/**
 * Names of labels and annotations may have wildcards: `metadata` is then compiled again with the keys of the object, once
 * per set of keys. As in Kyverno, if the object has labels, labels of the pattern that are not texts are ignored.
 * Undefined when the map needs none of this.
 */
export function compileMetadataExpansion(
  entries: readonly Entry[],
  compileWith: (raw: string, pattern: unknown) => MapCheck,
): ((fields: Fields) => MapCheck | undefined) | undefined {
  const metadata = findKey(
    'metadata',
    entries.map(({ raw }) => raw),
  );
  const pattern = entries.find(({ raw }) => raw === metadata)?.pattern;
  if (metadata === undefined || !isFields(pattern)) return undefined;
  const expansions = tags.flatMap((tag) => {
    const raw = findKey(tag, Object.keys(pattern));
    const wanted = raw === undefined ? undefined : pattern[raw];
    return raw !== undefined && isFields(wanted) && isExpandable(wanted) ? [{ tag, raw, wanted }] : [];
  });
  if (expansions.length === 0) return undefined;

  const variants = new Map<string, MapCheck>();
  const byKeys = new Map<string, MapCheck>();
  const names = expansions.map(({ tag }) => tag);
  return (fields) => {
    const found = fieldOf(fields, 'metadata');
    if (!isFields(found)) return undefined;
    const keys = textKeys(found, names);
    const known = byKeys.get(keys);
    if (known) return known;
    if (byKeys.size >= maxVariants) byKeys.clear();
    const check = expand(found);
    byKeys.set(keys, check);
    return check;
  };

  function expand(found: Fields): MapCheck {
    const replaced: Record<string, Fields> = {};
    for (const { tag, raw, wanted } of expansions) {
      const present = fieldOf(found, tag);
      if (isFields(present)) setOwn(replaced, raw, expandKeys(wanted, present));
    }
    const variant = JSON.stringify(Object.entries(replaced).map(([raw, expanded]) => [raw, Object.keys(expanded)]));
    let check = variants.get(variant);
    if (check === undefined) {
      if (variants.size >= maxVariants) variants.clear();
      check = compileWith(metadata!, { ...(pattern as Fields), ...replaced });
      variants.set(variant, check);
    }
    return check;
  }
}

/** The cache key of an expansion: the keys of the object that have texts as values. */
function textKeys(metadata: Fields, names: readonly string[]): string {
  let keys = '';
  for (const name of names) {
    const present = fieldOf(metadata, name);
    if (!isFields(present)) continue;
    keys += `${name}\0`;
    for (const key in present) if (typeof present[key] === 'string') keys += `${key}\0`;
  }
  return keys;
}

/** The key as it is written: plain, or inside an anchor. */
function findKey(key: string, raws: readonly string[]): string | undefined {
  return raws.includes(key) ? key : raws.find((raw) => parseAnchor(raw)?.key === key);
}

function isExpandable(wanted: Fields): boolean {
  return Object.entries(wanted).some(([key, value]) => typeof value !== 'string' || containsWildcard(key));
}

function expandKeys(wanted: Fields, present: Fields): Fields {
  return Object.fromEntries(
    Object.entries(wanted)
      .filter(([, value]) => typeof value === 'string')
      .map(([key, value]) => [containsWildcard(key) ? expandKey(key, present) : key, value]),
  );
}

/** The first matching key in sorted order, so that the order of the object's keys does not matter; else the pattern. */
function expandKey(raw: string, present: Fields): string {
  const anchor = parseAnchor(raw);
  const pattern = anchor?.key ?? raw;
  let found: string | undefined;
  for (const [key, value] of Object.entries(present)) {
    if (typeof value !== 'string' || (found !== undefined && found < key)) continue;
    if (matchesWildcard(pattern, key)) found = key;
  }
  found ??= pattern;
  return anchor === undefined ? found : renderAnchor(anchor.kind, found);
}
