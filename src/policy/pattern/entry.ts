import type { Anchor } from './anchor.ts';
import { forbidden, mismatch, notApplicable, type PatternFailure } from './failure.ts';
import { goType } from './go-text.ts';
import type { Element } from './leaf.ts';
import { type Check, type Fields, fieldOf, type MatchRun } from './run.ts';

/** Checks one key of a map; the path is the map's. */
export type EntryCheck = (fields: Fields, path: string, run: MatchRun) => PatternFailure | undefined;

interface EntrySource {
  readonly raw: string;
  readonly anchor: Anchor | undefined;
  readonly pattern: unknown;
  readonly element: Element;
}

export function compileEntry({ raw, anchor, pattern, element }: EntrySource): EntryCheck {
  const { check } = element;
  switch (anchor?.kind) {
    case 'condition':
      return condition(anchor.key, check);
    case 'global':
      return global(anchor.key, check);
    case 'existence':
      return existence(anchor.key, pattern, element.items);
    case 'equality':
      return equality(anchor.key, check);
    case 'negation':
      return negation(anchor.key);
    default:
      // An add anchor has no meaning here: its whole text is the name of a field.
      return pattern === '*' ? presence(raw) : field(raw, check);
  }
}

function field(key: string, check: Check): EntryCheck {
  return (fields, path, run) => check(fieldOf(fields, key), run.below(path, key), run);
}

function equality(key: string, check: Check): EntryCheck {
  return (fields, path, run) =>
    Object.hasOwn(fields, key) ? check(fields[key], run.below(path, key), run) : undefined;
}

function negation(key: string): EntryCheck {
  return (fields, path, run) => (Object.hasOwn(fields, key) ? forbidden(run.below(path, key)) : undefined);
}

/** A single `*` matches any value of any type. */
function presence(key: string): EntryCheck {
  return (fields, path) => {
    const value = fieldOf(fields, key);
    return value === undefined || value === null ? mismatch(path, () => `${path}/${key} not found`) : undefined;
  };
}

function condition(key: string, check: Check): EntryCheck {
  const absent = () => "conditional anchor key doesn't exist in the resource";
  return (fields, path, run) => {
    if (!Object.hasOwn(fields, key)) return notApplicable('conditional', run.below(path, key), absent);
    const failure = check(fields[key], run.below(path, key), run);
    return failure && notApplicable('conditional', failure.path, () => failure.message());
  };
}

/** Only an existing key can fail a global condition. */
function global(key: string, check: Check): EntryCheck {
  return (fields, path, run) => {
    if (!Object.hasOwn(fields, key)) return undefined;
    const failure = check(fields[key], run.below(path, key), run);
    return failure && notApplicable('global', failure.path, () => failure.message());
  };
}

/** Each map of the pattern's list must match at least one element of the object's list. */
function existence(key: string, pattern: unknown, checks: Element['items']): EntryCheck {
  return (fields, path, run) => {
    if (!Object.hasOwn(fields, key)) return undefined;
    const list = fields[key];
    const listPath = run.below(path, key);
    const invalid = (what: string, type: string, reason: string) =>
      mismatch(listPath, () => `invalid ${what} type ${type}: ${reason}`);
    if (!Array.isArray(list)) {
      const reason = 'Existence ^ () anchor can be used only on list/array type resource';
      return invalid('resource', goType(list), reason);
    }
    if (checks === undefined) {
      return invalid('pattern', goType(pattern, 'float'), 'Pattern has to be of list to compare against resource');
    }
    for (const check of checks) {
      if (check === undefined) {
        const reason = 'Pattern has to be of type map to compare against items in resource';
        return invalid('pattern', goType(pattern), reason);
      }
      const isFound = list.some((item, i) => {
        run.step();
        return check(item, run.below(listPath, i), run) === undefined;
      });
      if (!isFound) return mismatch(listPath, () => `existence anchor validation failed at path ${listPath}`);
    }
    return undefined;
  };
}
