import { type Anchor, parseAnchor } from './anchor.ts';
import { compileEntry, type EntryCheck } from './entry.ts';
import { allSkipped, type PatternFailure } from './failure.ts';
import { type CompileElement, differentStructure, type Element } from './leaf.ts';
import { compileMetadataExpansion } from './metadata.ts';
import { type Check, type Fields, isFields, type MatchRun } from './run.ts';

type CompileBelow = (pattern: unknown) => Element;

/** One key of a map in a pattern. */
export interface Entry {
  readonly raw: string;
  readonly anchor: Anchor | undefined;
  readonly pattern: unknown;
  readonly check: EntryCheck;
  readonly hasAnchors: boolean;
}

/** A map in the pattern: its anchors first, then its other keys. */
export function compileMap(pattern: Fields, depth: number, compileElement: CompileElement): Element {
  const compileBelow = (below: unknown) => compileElement(below, depth + 1);
  const entries = Object.keys(pattern)
    .sort()
    .map((raw) => compileMapEntry(raw, pattern[raw], compileBelow));
  return {
    check: compileEntries(pattern, entries, compileBelow),
    hasAnchors: entries.some(({ anchor, hasAnchors }) => hasAnchors || (anchor !== undefined && anchor.kind !== 'add')),
  };
}

function compileMapEntry(raw: string, pattern: unknown, compileBelow: CompileBelow): Entry {
  const anchor = parseAnchor(raw);
  const element = compileBelow(pattern);
  return {
    raw,
    anchor,
    pattern,
    check: compileEntry({ raw, anchor, pattern, element }),
    hasAnchors: element.hasAnchors,
  };
}

/** Most maps need neither notes nor expansion: their check is one function, so that it touches little memory. */
function compileEntries(pattern: Fields, entries: readonly Entry[], compileBelow: CompileBelow): Check {
  const noted = entries.flatMap(({ raw, anchor }) =>
    anchor?.kind === 'condition' || anchor?.kind === 'existence' ? [{ raw, key: anchor.key }] : [],
  );
  const { anchors, others } = sortPhases(entries);
  const expand = compileMetadataExpansion(entries, (raw, replaced) => {
    const phases = sortPhases(
      entries.map((entry) => (entry.raw === raw ? compileMapEntry(raw, replaced, compileBelow) : entry)),
    );
    return (fields, path, run) =>
      checkAnchors(phases.anchors, fields, path, run) ?? checkOthers(phases.others, fields, path, run);
  });
  if (noted.length === 0 && expand === undefined) return compilePlain(pattern, anchors, others);
  return (value, path, run) => {
    if (!isFields(value)) return differentStructure(path, pattern, value);
    for (const { raw, key } of noted) run.note(raw, Object.hasOwn(value, key));
    const expanded = expand?.(value);
    if (expanded) return expanded(value, path, run);
    return checkAnchors(anchors, value, path, run) ?? checkOthers(others, value, path, run);
  };
}

function compilePlain(pattern: Fields, anchors: readonly EntryCheck[], others: readonly EntryCheck[]): Check {
  if (anchors.length > 0)
    return (value, path, run) =>
      isFields(value)
        ? (checkAnchors(anchors, value, path, run) ?? checkOthers(others, value, path, run))
        : differentStructure(path, pattern, value);
  const [only] = others;
  if (only !== undefined && others.length === 1)
    return (value, path, run) => (isFields(value) ? only(value, path, run) : differentStructure(path, pattern, value));
  return (value, path, run) =>
    isFields(value) ? checkOthers(others, value, path, run) : differentStructure(path, pattern, value);
}

/** Anchors are checked before the other keys. */
function sortPhases(entries: readonly Entry[]) {
  const anchors: EntryCheck[] = [];
  const others: EntryCheck[] = [];
  for (const { anchor, check, hasAnchors } of entries) {
    if (anchor !== undefined && anchor.kind !== 'global' && anchor.kind !== 'add') anchors.push(check);
    else if (anchor?.kind === 'global' || hasAnchors) others.unshift(check);
    else others.push(check);
  }
  return { anchors, others };
}

/**
 * An unmet anchor skips the map, unless it only reports skips further down and another anchor was met. After an unmet
 * anchor of the map itself, failures of the other anchors are ignored.
 */
function checkAnchors(
  anchors: readonly EntryCheck[],
  fields: Fields,
  path: string,
  run: MatchRun,
): PatternFailure | undefined {
  let skips: PatternFailure[] | undefined;
  let isUnmet = false;
  let applied = 0;
  for (const anchor of anchors) {
    const failure = anchor(fields, path, run);
    if (failure === undefined) applied++;
    else if (failure.kind === 'skip') {
      (skips ??= []).push(failure);
      isUnmet ||= failure.isDirect;
    } else if (!isUnmet) return failure;
  }
  return skips !== undefined && (applied === 0 || isUnmet) ? allSkipped(path, skips) : undefined;
}

function checkOthers(
  others: readonly EntryCheck[],
  fields: Fields,
  path: string,
  run: MatchRun,
): PatternFailure | undefined {
  for (const other of others) {
    const failure = other(fields, path, run);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
