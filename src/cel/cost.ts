import type { CallCost } from './environment.ts';
import { findKey, isMap, mapKeys } from './values/map.ts';
import { costSize, librarySize, tenth } from './values/size.ts';
import { CelBytes, CelOpaque } from './values/values.ts';

/**
 * What calls cost in Kubernetes: first by the name of the function, then by the form that was found while compiling;
 * everything else costs 1. A call whose form is only known when it is evaluated counts as everything else.
 */

/** `==` and `!=`: a tenth of the smaller side. */
export function equalityCost(a: unknown, b: unknown, isEquals: boolean): number {
  if (isEquals && a instanceof CelOpaque) return 1;
  return Math.min(tenth(a), tenth(b));
}

const one: CallCost = () => 1;
const scan: CallCost = (text) => Math.ceil(librarySize(text) * 0.1);
const scanTwice: CallCost = (text) => Math.ceil(librarySize(text) * 0.2);
const traversal: CallCost = (value) => traversalCost(value);
const regexCost = (size: typeof costSize): CallCost =>
  knowingSecond((pattern) => {
    const factor = Math.ceil(size(pattern) * 0.25);
    return (text) => Math.ceil((1 + size(text)) * 0.1) * factor;
  });
const matchCost = regexCost(costSize);
const findCost = regexCost(librarySize);

/** A list, the walk over its text, and a list and a struct for every second character. */
const selectorCost: CallCost = (_, selector) => {
  const size = costSize(selector);
  return 10 + Math.ceil(size * 0.1) + Math.ceil(size * 0.5) * 50;
};

const withResult = (cost: (first: unknown, second: unknown, result: unknown) => number): CallCost =>
  Object.defineProperty(cost, 'usesResult', { value: true });

function knowingSecond(withSecond: NonNullable<CallCost['withSecond']>): CallCost {
  const cost = (first: unknown, second: unknown) => {
    const known = withSecond(second);
    return typeof known === 'number' ? known : known(first);
  };
  return Object.assign(cost, { withSecond });
}

function traversalCost(value: unknown): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * 0.1);
  if (value instanceof CelBytes) return Math.trunc(value.bytes.length * 0.1);
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + traversalCost(item), 0);
  if (!isMap(value)) return 1;
  let cost = 0;
  for (const key of mapKeys(value)) cost += traversalCost(key) + traversalCost(findKey(value, key));
  return cost;
}

const containsAddress =
  (extra: (size: number) => number): ((parses: boolean) => CallCost) =>
  (parses) =>
  (cidr, other) => {
    const size = costSize(cidr);
    return Math.ceil(2 * size * 0.1) + extra(size) + (parses ? tenth(other) : 0);
  };
const containsIp = containsAddress(() => 0);
const containsCidr = containsAddress((size) => Math.ceil(size * 0.1) + 1);

const byName: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, traversal] as const),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey'].map(
    (name) => [name, scan] as const,
  ),
  ...['replace', 'split'].map((name) => [name, scanTwice] as const),
  ['join', withResult((_first, _second, result) => Math.ceil(librarySize(result) * 0.2))],
  ...['find', 'findAll'].map((name) => [name, findCost] as const),
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name) => [name, scan] as const),
  ['ip.isCanonical', scanTwice],
  // Two questions to the authorizer fit into one expression.
  ['check', () => 350_000],
  ...['fieldSelector', 'labelSelector'].map((name) => [name, selectorCost] as const),
  [
    'validate',
    (format, text) =>
      isFormat(format) ? Math.ceil((1 + costSize(text)) * 0.1) * Math.ceil(Number(format.regexSize) * 0.25) : 1,
  ],
]);

const isFormat = (value: unknown): value is CelOpaque & { readonly regexSize: number } =>
  value instanceof CelOpaque && 'regexSize' in value;

/** A search of the regex library, to which what it found is added. */
const searchCost = (text: unknown, pattern: unknown) =>
  1 + (costSize(text) + 1) * 0.1 * ((costSize(pattern) + 1) * 0.25);
const listCost: CallCost = (list) => 1 + costSize(list);
const textOrder: CallCost = (a, b) => Math.min(tenth(a), tenth(b));
/** A list that is made, of so many steps. */
const allocating = (steps: number) => Math.trunc(steps) + 11;
const outputSize = withResult((_first, _second, result) => allocating(librarySize(result)));

const digestCost: CallCost = (text) => 20 + Math.ceil(costSize(text) * 0.05);

const byOverload: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['starts_with_string', knowingSecond(tenth)],
  ['ends_with_string', knowingSecond(tenth)],
  ...['string_to_bytes', 'bytes_to_string', 'strings_quote', 'string_format'].map(
    (id) => [id, (text: unknown) => tenth(text)] as const,
  ),
  ['in_list', (_, list) => costSize(list)],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) =>
    ['string', 'bytes'].map((type) => [`${name}_${type}`, textOrder] as const),
  ),
  ['add_string', (a, b) => Math.ceil((costSize(a) + costSize(b)) * 0.1)],
  ['add_bytes', (a, b) => Math.ceil((costSize(a) + costSize(b)) * 0.1)],
  ['matches', matchCost],
  ['matches_string', matchCost],
  [
    'contains_string',
    knowingSecond((part) => {
      const factor = tenth(part);
      return (text) => tenth(text) * factor;
    }),
  ],
  ['list_sets_contains_list', (a, b) => 1 + librarySize(a) * librarySize(b)],
  ['list_sets_intersects_list', (a, b) => 1 + librarySize(a) * librarySize(b)],
  ['list_sets_equivalent_list', (a, b) => 1 + 2 * librarySize(a) * librarySize(b)],
  ['list_slice', outputSize],
  ['lists_range', outputSize],
  ['list_reverse', outputSize],
  ['list_flatten', (list) => allocating(librarySize(list))],
  ['list_flatten_int', (list, depth) => allocating(librarySize(list) * depthOf(depth))],
  ['list_distinct', (list) => selfCompareCost(list)],
  ['base64_decode_string', (text) => 1 + tenth(text)],
  ['base64_encode_bytes', (bytes) => 1 + tenth(bytes)],
  ...['min', 'max'].flatMap((name) =>
    ['double', 'int', 'uint'].map((type) => [`math_@${name}_list_${type}`, listCost] as const),
  ),
  [
    'regex_extract_string_string',
    withResult((text, pattern, result) => Math.ceil(searchCost(text, pattern) + librarySize(result))),
  ],
  [
    'regex_extractAll_string_string',
    withResult((text, pattern, result) => Math.ceil(searchCost(text, pattern) + librarySize(result) + 10)),
  ],
  ...['', '_int'].map(
    (form) =>
      [
        `regex_replace_string_string_string${form}`,
        withResult((text, pattern, result) => Math.trunc(searchCost(text, pattern) + librarySize(result))),
      ] as const,
  ),
  // Of Kyverno, which tracks no costs: by the time that they take.
  ['parse_string_dyn', (_, text) => 100 + costSize(text) * 10],
  ['unmarshal_string_dyn', (_, text) => 10 + costSize(text)],
  ['marshal_dyn_string', withResult((_first, _second, result) => 10 + costSize(result))],
  ['random_string', withResult((_first, _second, result) => 1_000 + costSize(result) * 10)],
  ['random_string_default_expr', () => 1_000],
  ...['sha1', 'sha256', 'md5'].flatMap((name) =>
    ['non_prefixed', 'prefixed'].map((form) => [`${name}_string_${form}`, digestCost] as const),
  ),
  // A text may be a thousand times as long as what it is unpacked from, and one that is too long is no result.
  ['decompress_bytes_string', (bytes) => 100 + costSize(bytes) * 30],
  ...['non_prefixed', 'prefixed'].map(
    (form) => [`list_of_object_to_map_${form}`, (keys: unknown) => 10 + costSize(keys) * 10] as const,
  ),
  ['x509_decode_string', (_, text) => 1_000 + costSize(text)],
]);

/** What is no depth ends the call with an error. A cost that is no number would never reach a limit. */
function depthOf(value: unknown): number {
  const depth = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 1;
  return depth < 0 ? 1 : depth;
}

function selfCompareCost(list: unknown): number {
  const size = costSize(list);
  const [first] = Array.isArray(list) ? list : [];
  const isText = typeof first === 'string' || first instanceof CelBytes;
  return allocating(size * size * (isText ? 2.1 : 2));
}

export function kubernetesCost(name: string, overload: string): CallCost | undefined {
  const own = libraryCost(name, overload);
  if (own) return own;
  if (overload.endsWith('_sortByAssociatedKeys')) return (_, keys) => selfCompareCost(keys);
  if (overload.endsWith('_sort')) return (list) => selfCompareCost(list);
  return byOverload.get(overload);
}

function libraryCost(name: string, overload: string): CallCost | undefined {
  // Trackers of single forms come before the functions of that name.
  if (byOverload.has(overload) && overload.startsWith('list_')) return undefined;
  if (name === 'ip') return overload === 'cidr_ip' ? one : scan;
  if (name === 'containsIP') return containsIp(overload === 'cidr_contains_ip_string');
  if (name === 'containsCIDR') return containsCidr(overload === 'cidr_contains_cidr_string');
  return byName.get(name);
}
