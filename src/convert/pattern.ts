import { isJsonObject } from '../base/index.ts';
import { parseAnchor } from '../policy/index.ts';
import { isAmount } from './amount.ts';
import { always, and, type Bool, never, not, or, renderBool, test } from './bool.ts';
import { hasWildcard } from './cel-text.ts';
import { refuse } from './not-convertible.ts';
import { elementPlace, fieldPlace, type Place, valueOr } from './place.ts';
import { convertScalar, isPresent } from './scalar.ts';
import type { TouchedPlaces } from './touched.ts';

/** When a pattern does not apply, and whether it is met where it applies. */
interface PatternCondition {
  readonly skips: Bool;
  readonly isMet: Bool;
  /** Whether `isMet` is true where the place does not exist. */
  readonly holdsWhenAbsent?: boolean;
}

const met = (isMet: Bool): PatternCondition => ({ skips: never, isMet });
/** The pattern does not fail. */
export const passes = ({ skips, isMet }: PatternCondition): Bool => or([skips, isMet]);
const isMetHere = ({ skips, isMet }: PatternCondition): Bool => and([not(skips), isMet]);

/** A pattern with its anchors; throws NotConvertible. */
export function convertPattern(pattern: unknown, root: Place, path: string, touched: TouchedPlaces): PatternCondition {
  return new PatternConverter(touched).convert(pattern, root, path, false);
}

class PatternConverter {
  constructor(private readonly touched: TouchedPlaces) {}

  /** With `mayBeAbsent` the condition should hold where the place does not exist, if that can be said plainly. */
  convert(pattern: unknown, place: Place, path: string, mayBeAbsent: boolean): PatternCondition {
    if (isJsonObject(pattern)) return this.convertMap(pattern, place, path, mayBeAbsent);
    if (Array.isArray(pattern)) return this.convertList(pattern, place, path, mayBeAbsent);
    this.touched.add(place, pattern);
    const scalar = convertScalar(pattern, place, path);
    if (!mayBeAbsent) return met(scalar);
    const fallback = convertScalar(pattern, place, path, true);
    return { skips: never, isMet: fallback ?? scalar, holdsWhenAbsent: fallback !== undefined };
  }

  private convertMap(pattern: object, place: Place, path: string, mayBeAbsent: boolean): PatternCondition {
    const anchors: PatternCondition[] = [];
    const others: PatternCondition[] = [];
    const unmet: Bool[] = [];
    let holdsWhenAbsent = mayBeAbsent;
    for (const [raw, below] of Object.entries(pattern)) {
      const at = `${path}.${raw}`;
      const anchor = parseAnchor(raw);
      const key = anchor?.key ?? raw;
      if (hasWildcard(key)) refuse(at, 'wildcards in keys have no equivalent');
      const child = fieldPlace(place, key);
      const present = isPresent(child);
      if (anchor?.kind !== 'equality' && anchor?.kind !== 'negation') holdsWhenAbsent = false;
      switch (anchor?.kind) {
        case undefined:
          if (below === '*') this.touched.add(child);
          others.push(below === '*' ? met(present) : this.convert(below, child, at, false));
          break;
        case 'condition':
          unmet.push(not(and([present, isMetHere(this.convert(below, child, at, false))])));
          break;
        case 'global':
          others.push({
            skips: and([present, not(isMetHere(this.convert(below, child, at, false)))]),
            isMet: always,
          });
          break;
        case 'equality': {
          const condition = this.convert(below, child, at, true);
          const { skips, isMet } = condition;
          anchors.push({
            skips: and([present, skips]),
            isMet: condition.holdsWhenAbsent ? isMet : or([not(present), isMet]),
          });
          break;
        }
        case 'negation':
          this.touched.add(child);
          anchors.push(met(not(present)));
          break;
        case 'existence':
          anchors.push(met(or([not(present), this.convertExistence(below, child, at)])));
          break;
        default:
          refuse(at, 'the anchor +() has no meaning in a validation');
      }
    }
    const canSkip = [...anchors, ...others].filter(({ skips }) => skips.kind !== 'constant');
    if (canSkip.length > 1 || (anchors.some((one) => canSkip.includes(one)) && anchors.length > 1))
      refuse(path, 'several parts of the pattern have conditions, and their order decides');
    const anchorsMet = and(anchors.map(({ isMet }) => isMet));
    const structure = holdsWhenAbsent ? always : structureOf(pattern, place);
    const isMet = and([structure, anchorsMet, ...others.map((one) => one.isMet)]);
    const skips = or([
      ...unmet,
      ...canSkip.map((one) => and([anchors.includes(one) ? always : anchorsMet, one.skips])),
    ]);
    return { skips, isMet, holdsWhenAbsent };
  }

  /** The first element of the pattern holds for every element that it applies to. */
  private convertList(pattern: readonly unknown[], place: Place, path: string, mayBeAbsent: boolean): PatternCondition {
    const [first, ...more] = pattern;
    if (first === undefined) return refuse(path, 'an empty list matches nothing');
    if (Array.isArray(first)) return refuse(path, 'lists of lists have no equivalent');
    if (!isJsonObject(first)) return this.convert(first, place, path, false);
    if (more.length > 0) refuse(path, 'only the first element of a pattern counts; remove the others');
    const element = elementPlace(place);
    const each = this.convert(first, element, `${path}[0]`, false);
    const list = valueOr(place, '[]');
    const all = (condition: Bool) =>
      condition.kind === 'constant' ? condition : test(`${list}.all(${element.variable}, ${renderBool(condition)})`);
    const isMet = and([mayBeAbsent ? always : isPresent(place), all(passes(each))]);
    if (each.skips.kind === 'constant') return { skips: never, isMet, holdsWhenAbsent: mayBeAbsent };
    const skips = and([isPresent(place), test(`size(${list}) > 0`), all(each.skips)]);
    return { skips, isMet, holdsWhenAbsent: mayBeAbsent };
  }

  /** Each map of the list holds for at least one element. */
  private convertExistence(pattern: unknown, place: Place, path: string): Bool {
    if (!Array.isArray(pattern) || !pattern.every(isJsonObject)) return refuse(path, 'a list of maps is expected');
    const element = elementPlace(place);
    return and(
      pattern.map((one, i) => {
        const condition = renderBool(isMetHere(this.convert(one, element, `${path}[${i}]`, false)));
        return test(`${valueOr(place, '[]')}.exists(${element.variable}, ${condition})`);
      }),
    );
  }
}

/** A map must be there, even if what is said of its fields holds for absent ones too. */
function structureOf(pattern: object, place: Place): Bool {
  const isImplied = Object.entries(pattern).some(([raw, below]) => {
    const kind = parseAnchor(raw)?.kind;
    return (kind === undefined || kind === 'condition') && needsValue(below);
  });
  return isImplied ? always : isPresent(place);
}

/** Absent fields count as zero where amounts are compared, and meet null. */
export const needsValue = (pattern: unknown) =>
  pattern !== null && (typeof pattern !== 'string' || (/^[\w./:*?-]+$/.test(pattern) && !isAmount(pattern)));
