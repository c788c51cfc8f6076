import { operatorOf } from '../policy/index.ts';
import { type Comparison, compare, compareAmount, isAmount } from './amount.ts';
import { always, and, type Bool, never, not, or, renderBool, test, testOf } from './bool.ts';
import { hasWildcard, literal, quote, wildcardTest } from './cel-text.ts';
import { refuse } from './not-convertible.ts';
import { type Place, type ScalarType, typeOf, valueOr } from './place.ts';

/** A scalar of a pattern at a place. `path` is where the pattern is written. */
export function convertScalar(pattern: unknown, place: Place, path: string): Bool;
/** With `absentIsMet`: so that an absent value meets it; undefined where that needs a test of its own. */
export function convertScalar(pattern: unknown, place: Place, path: string, absentIsMet: true): Bool | undefined;
export function convertScalar(pattern: unknown, place: Place, path: string, absentIsMet = false): Bool | undefined {
  const type = typeOf(place);
  if (absentIsMet) {
    if (type === 'boolean' && (pattern === 'true' || pattern === 'false'))
      return compare(valueOr(place, pattern), '==', pattern);
    const choices = type === 'string' ? plainChoices(pattern) : undefined;
    if (choices) return test(`${valueOr(place, literal(choices[0]))} in ${literal(choices)}`);
    if (typeof pattern !== type && !(typeof pattern === 'number' && type === 'integer')) return undefined;
    if (typeof pattern === 'string' && (!/^[\w./:]+$/.test(pattern) || isAmount(pattern))) return undefined;
    return compare(valueOr(place, literal(pattern)), '==', literal(pattern));
  }
  if (type === 'object') return refuse(path, 'a map is expected in the object where the pattern has a scalar');
  if (type === 'array') return convertForEach(pattern, place, path);
  switch (typeof pattern) {
    case 'string':
      return convertText(pattern, { place, type, path });
    case 'number':
      return convertNumber(pattern, { place, type, path });
    case 'boolean':
      return compare(valueOr(place, 'null'), '==', String(pattern));
    default:
      return pattern === null ? isEmpty(place, type) : refuse(path, 'this value is not supported');
  }
}

/** A scalar applies to every element of a list. */
function convertForEach(pattern: unknown, place: Place, path: string): Bool {
  const items = typeOf({ ...place, schema: place.schema?.items });
  if (items !== 'string' || typeof pattern !== 'string')
    refuse(path, 'a scalar for a list is converted for texts only');
  const element: Place = { ...place, chain: 'i', strict: 'i', isOptional: false, schema: place.schema?.items };
  const each = convertText(pattern, { place: element, type: 'string', path });
  if (each.kind === 'constant') return isPresent(place);
  return and([isPresent(place), test(`${valueOr(place, '[]')}.all(i, ${renderBool(each)})`)]);
}

interface Scalar {
  readonly place: Place;
  readonly type: ScalarType;
  readonly path: string;
}

function convertNumber(pattern: number, { place, type, path }: Scalar): Bool {
  if (!Number.isSafeInteger(pattern)) return refuse(path, 'numbers that are no integers are compared in another way');
  const value = valueOr(place, 'null');
  if (type === 'integer') return compare(value, '==', String(pattern));
  if (type === 'string' || type === 'quantity') return refuse(path, 'a number is compared with a text');
  return or([test(`${value} == ${pattern}`), test(`${value} == ${quote(String(pattern))}`)]);
}

function isEmpty(place: Place, type: ScalarType): Bool {
  const value = valueOr(place, 'null');
  const empty: Partial<Record<ScalarType, string>> = { string: "''", integer: '0', boolean: 'false' };
  const also = type === 'unknown' ? ["''", '0', 'false'] : [empty[type] ?? "''"];
  return or([test(`${value} == null`), ...also.map((one) => test(`${value} == ${one}`))]);
}

export const isPresent = ({ chain, isOptional }: Place): Bool =>
  isOptional ? test(`${chain}.hasValue()`, `!${chain}.hasValue()`) : always;

/** `a | b & c`, with wildcards, comparisons and ranges. */
function convertText(pattern: string, scalar: Scalar): Bool {
  const choices = scalar.type === 'string' ? plainChoices(pattern) : undefined;
  if (choices) return test(`${valueOr(scalar.place, "''")} in ${literal(choices)}`);
  if (pattern.includes('{{') || pattern.includes('$(')) refuse(scalar.path, 'the pattern has a variable or reference');
  return or(
    pattern.split('|').map((alternative) =>
      and(
        alternative
          .trim()
          .split('&')
          .map((part) => convertPart(part.trim(), scalar)),
      ),
    ),
  );
}

/** The alternatives of `a | b` if each stands for itself. */
function plainChoices(pattern: unknown): readonly string[] | undefined {
  if (typeof pattern !== 'string' || !pattern.includes('|')) return undefined;
  const choices = pattern.split('|').map((one) => one.trim());
  return choices.every((one) => /^[\w./:][\w./:-]*$/.test(one) && operatorOf(one) === '' && !isAmount(one))
    ? choices
    : undefined;
}

function convertPart(part: string, scalar: Scalar): Bool {
  const operator = operatorOf(part);
  if (operator === '-' || operator === '!-') {
    const ends = /^(\d+(?:\.\d+)?[A-Za-z]*)!?-(\d+(?:\.\d+)?[A-Za-z]*)$/.exec(part);
    if (ends === null) return refuse(scalar.path, `the range ${part} is not supported`);
    const [, from = '', to = ''] = ends;
    return operator === '-'
      ? and([convertComparison('>=', from, scalar), convertComparison('<=', to, scalar)])
      : or([convertComparison('<', from, scalar), convertComparison('>', to, scalar)]);
  }
  const comparison: Comparison = operator === '' ? '==' : operator === '!' ? '!=' : operator;
  return convertComparison(comparison, part.slice(operator.length).trim(), scalar);
}

function convertComparison(comparison: Comparison, operand: string, scalar: Scalar): Bool {
  switch (scalar.type) {
    case 'string':
      return compareString(comparison, operand, scalar.place);
    case 'quantity':
      return compareQuantity(comparison, operand, scalar);
    case 'integer':
      return compareInteger(comparison, operand, scalar);
    case 'boolean':
      return compareBoolean(comparison, operand, scalar);
    default:
      return compareUnknown(comparison, operand, scalar);
  }
}

/** An absent text counts as the amount zero, and as no text. */
function compareString(comparison: Comparison, operand: string, place: Place): Bool {
  if (isAmount(operand)) return compareAmount(valueOr(place, "'0'"), comparison, operand);
  if (comparison !== '==' && comparison !== '!=') return never;
  if (operand === '*') return comparison === '==' ? isPresent(place) : never;
  if (comparison === '==') return testOf(wildcardTest(valueOr(place, operand === '' ? "'-'" : "''"), operand));
  return and([isPresent(place), not(testOf(wildcardTest(valueOr(place, "''"), operand)))]);
}

/** Servers write quantities as texts; files may have numbers. */
function compareQuantity(comparison: Comparison, operand: string, { place, path }: Scalar): Bool {
  if (comparison === '==' && (operand === '*' || operand === '?*'))
    return operand === '*' ? isPresent(place) : test(`${valueOr(place, "''")} != ''`);
  if (!isAmount(operand)) refuse(path, `${operand} is compared with a quantity`);
  return compareAmount(
    place.isOptional ? `string(${valueOr(place, "'0'")})` : `string(${place.chain})`,
    comparison,
    operand,
  );
}

function compareInteger(comparison: Comparison, operand: string, { place, path }: Scalar): Bool {
  if (operand === '*' || operand === '?*') return comparison === '==' ? isPresent(place) : never;
  if (!/^-?\d{1,15}$/.test(operand)) refuse(path, `${operand} is compared with an integer`);
  return compare(valueOr(place, '0'), comparison, String(Number(operand)));
}

function compareBoolean(comparison: Comparison, operand: string, { place, path }: Scalar): Bool {
  if (operand === '*' || operand === '?*') return comparison === '==' ? isPresent(place) : never;
  if (operand !== 'true' && operand !== 'false') refuse(path, `${operand} is compared with true or false`);
  return compare(valueOr(place, 'null'), '==', String((operand === 'true') === (comparison === '==')));
}

/** Of an unknown field only texts that cannot be anything else are compared. */
function compareUnknown(comparison: Comparison, operand: string, { place, path }: Scalar): Bool {
  if (comparison === '==' && operand === '*') return isPresent(place);
  if (comparison !== '==' || hasWildcard(operand) || isAmount(operand) || /^(?:true|false|\d.*)?$/.test(operand))
    refuse(path, 'the type of the field is not known');
  return compare(valueOr(place, 'null'), '==', literal(operand));
}
