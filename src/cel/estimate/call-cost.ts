import { type CelType, sameType } from '../types.ts';
import { add, exactly, multiply, one, type Range, scale, unknown } from './range.ts';

/** A receiver or an argument of a call. */
export interface Operand {
  readonly type: CelType;
  readonly size: Range | undefined;
  /** The size of the elements of a list; undefined where nothing is known of them. */
  readonly elementSize: () => Range | undefined;
  /** Of a literal. */
  readonly literal: unknown;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

interface Call {
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  readonly overload: string;
}

type Estimator = (call: Call) => CallEstimate | undefined;

const traversal = 0.1;
const regexFactor = 0.25;
const listCost = exactly(10);

const sizeOf = (operand: Operand | undefined): Range => operand?.size ?? unknown;
const walkOf = (operand: Operand | undefined): CallEstimate => ({ cost: scale(sizeOf(operand), traversal) });
const sized = (size: Range): CallEstimate => ({ cost: scale(size, traversal), resultSize: size });
const nominal: Estimator = () => ({ cost: one });
const firstArgument: Estimator = ({ args: [text] }) => text && walkOf(text);

const regexCost = (text: Range, pattern: Range) =>
  multiply(scale(add(text, one), traversal), scale(pattern, regexFactor));

const aggregate: Estimator = ({ target }) => {
  if (!target) return undefined;
  const [element] = target.type.params;
  if (!element) return walkOf(target);
  const isText = element.kind === 'string' || element.kind === 'bytes';
  const each = isText ? add(one, scale(target.elementSize() ?? unknown, traversal)) : one;
  return { cost: multiply(sizeOf(target), each) };
};

/** The longest and the shortest that replacing can make of a text. */
const replace: Estimator = ({ target, args: [from, to] }) => {
  if (!target || !from || !to) return undefined;
  const size = sizeOf(target);
  const before = sizeOf(from);
  const after = sizeOf(to);
  const longest =
    before.min === 0
      ? { count: size.max + 1, kept: size.max }
      : after.max <= before.min
        ? { count: 0, kept: size.max }
        : { count: Math.ceil(size.max / before.min), kept: 0 };
  const shortest =
    before.max === 0
      ? { count: size.min + 1, kept: size.min }
      : before.max <= after.min
        ? { count: 0, kept: size.min }
        : { count: Math.ceil(size.min / before.max), kept: 0 };
  const count = { min: shortest.count, max: longest.count };
  const kept = { min: shortest.kept, max: longest.kept };
  return { cost: scale(size, 2 * traversal), resultSize: add(multiply(count, after), kept) };
};

const split: Estimator = ({ target, args: [, limit] }) => {
  if (!target) return undefined;
  const size = sizeOf(target);
  const most = typeof limit?.literal === 'number' ? limit.literal : size.max;
  return { cost: scale(size, 2 * traversal), resultSize: { min: 0, max: most } };
};

const join: Estimator = ({ target, args: [separator] }) => {
  if (!target) return undefined;
  const count = sizeOf(target);
  let size = multiply(count, target.elementSize() ?? unknown);
  if (separator) {
    const separators = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    size = add(size, multiply(sizeOf(separator), separators));
  }
  return sized(size);
};

const find: Estimator = ({ target, args: [pattern] }) => {
  if (!target || !pattern) return undefined;
  const size = sizeOf(target);
  return { cost: regexCost(size, sizeOf(pattern)), resultSize: { min: 0, max: size.max } };
};

const address = { min: 4, max: 16 };
const comparedAddresses = scale(add(address, address), traversal);
const parsed = (text: Operand | undefined, parses: boolean) => (parses ? scale(sizeOf(text), traversal) : exactly(0));

const containsIp: Estimator = ({ args: [other], overload }) => ({
  cost: add(comparedAddresses, parsed(other, overload === 'cidr_contains_ip_string')),
});
const containsCidr: Estimator = ({ args: [other], overload }) => ({
  cost: add(
    add(add(comparedAddresses, scale(address, traversal)), one),
    parsed(other, overload === 'cidr_contains_cidr_string'),
  ),
});

const cheapEquality = /^(net\.IP|net\.CIDR|kubernetes\.(Quantity|Semver|authorization\..*))$/;
const equality: Estimator = ({ args: [left, right] }) =>
  left && right && sameType(left.type, right.type) && cheapEquality.test(left.type.name) ? { cost: one } : undefined;

const selector: Estimator = ({ args: [text] }) => {
  const size = sizeOf(text);
  return { cost: add(add(listCost, scale(size, traversal)), scale(scale(size, 0.5), 50)) };
};

const names = (text: string, estimator: Estimator) => text.split(' ').map((name) => [name, estimator] as const);

/** Functions of Kubernetes by name. */
const byName: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  ['check', () => ({ cost: exactly(350_000) })],
  ...names('fieldSelector labelSelector', selector),
  ...names('isSorted sum max min indexOf lastIndexOf', aggregate),
  ...names('url jsonpatch.escapeKey', ({ args: [text] }) => text && sized(sizeOf(text))),
  ...names('lowerAscii upperAscii substring trim', ({ target }) => target && sized(sizeOf(target))),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ...names('find findAll', find),
  ...names('cidr isIP isCIDR quantity isQuantity semver isSemver', firstArgument),
  ['ip', (call) => (call.overload === 'cidr_ip' ? { cost: one } : firstArgument(call))],
  ['ip.isCanonical', ({ args: [text] }) => ({ cost: scale(sizeOf(text), 2 * traversal) })],
  ['containsIP', containsIp],
  ['containsCIDR', containsCidr],
  ['validate', ({ args: [text] }) => ({ cost: scale(scale(sizeOf(text), traversal), 128 * regexFactor) })],
  ['_==_', equality],
  ...names('serviceAccount path group resource subresource namespace name allowed reason error errored', nominal),
]);

const allocating = (factor: number, size: Range): CallEstimate => ({
  cost: add(add(scale(size, factor), one), listCost),
  resultSize: size,
});
const literalOr = (operand: Operand | undefined, other: number) =>
  typeof operand?.literal === 'number' ? operand.literal : other;
const squared = (size: Range) => multiply(size, size);
const sets =
  (factor: number): Estimator =>
  ({ args: [a, b] }) => ({ cost: add(scale(multiply(sizeOf(a), sizeOf(b)), factor), one) });

/** Forms of functions that are estimated before their names are looked at. */
const byOverload: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  [
    'list_slice',
    ({ target, args: [start, end] }) =>
      allocating(1, exactly(Math.max(0, literalOr(end, sizeOf(target).max) - literalOr(start, 0)))),
  ],
  ['list_flatten', ({ target }) => allocating(1, sizeOf(target))],
  ['list_flatten_int', ({ target, args: [depth] }) => allocating(literalOr(depth, unknown.max), sizeOf(target))],
  ['lists_range', ({ args: [count] }) => allocating(1, exactly(literalOr(count, unknown.max)))],
  ['list_reverse', ({ target }) => allocating(1, sizeOf(target))],
  ['list_distinct', ({ target }) => allocating(2, squared(sizeOf(target)))],
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
]);

function sortEstimate({ target, args: [keys], overload }: Call): CallEstimate | undefined {
  const factor = /^list_(string|bytes)_/.test(overload) ? 2 + traversal : 2;
  if (overload.endsWith('_sort')) return allocating(factor, squared(sizeOf(target)));
  if (overload.endsWith('_sortByAssociatedKeys')) return allocating(factor, squared(sizeOf(keys)));
  return undefined;
}

/** What a call costs beside its arguments; undefined where the language itself says it. */
export function libraryEstimate(name: string, call: Call): CallEstimate | undefined {
  return byOverload.get(call.overload)?.(call) ?? sortEstimate(call) ?? byName.get(name)?.(call);
}

const ordered = /^(less|less_equals|greater|greater_equals)_(string|bytes)$/;

/** Operators and functions of the language whose cost depends on sizes. */
export function standardEstimate({ target, args, overload }: Call): CallEstimate | undefined {
  const [first, second] = args;
  const size = sizeOf(first);
  switch (overload) {
    case 'string_format':
      return walkOf(target);
    case 'string_to_bytes':
      return { cost: scale(size, traversal), resultSize: { min: size.min, max: size.max * 4 } };
    case 'bytes_to_string':
      return { cost: scale(size, traversal), resultSize: { min: Math.trunc(size.min / 4), max: size.max } };
    case 'strings_quote':
      return { cost: scale(size, traversal), resultSize: { min: size.min + 2, max: size.max * 2 + 2 } };
    case 'starts_with_string':
    case 'ends_with_string':
      return walkOf(first);
    case 'in_list':
      return { cost: sizeOf(second) };
    case 'matches_string':
      return { cost: regexCost(sizeOf(target), size) };
    case 'contains_string':
      return { cost: multiply(scale(sizeOf(target), traversal), scale(size, traversal)) };
    case 'add_list':
      return { cost: one, resultSize: add(size, sizeOf(second)) };
    case 'add_string':
    case 'add_bytes':
      return sized(add(size, sizeOf(second)));
    default:
      if (overload !== 'equals' && overload !== 'not_equals' && !ordered.test(overload)) return undefined;
      return { cost: compared(size, sizeOf(second)) };
  }
}

function compared(left: Range, right: Range): Range {
  const most = Math.min(left.max, right.max);
  return scale({ min: most > 0 ? 1 : 0, max: most }, traversal);
}
