import { LRUCache } from 'lru-cache';
import { invalid } from '../errors.ts';
import { compareText } from '../values.ts';
import { define, type FunctionSpec } from './signature.ts';

/** A version that cannot be read counts as 0.0.0; a range that cannot be read is an error. */
export const semverFunctions: readonly FunctionSpec[] = [
  define('semver_compare', ['string', 'string'], (run, version: string, range: string) => {
    run.chargeText(version.length + range.length);
    return parseRange(range)(parseVersion(version) ?? zero);
  }),
];

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly (bigint | string)[];
}
type Range = (version: Version) => boolean;

const zero: Version = { numbers: [0n, 0n, 0n], pre: [] };
const maxUint64 = 2n ** 64n - 1n;
const identifier = /^[0-9A-Za-z-]+$/;

function parseVersion(text: string): Version | undefined {
  const [major = '', minor = '', ...rest] = text.split('.');
  if (rest.length === 0) return undefined;
  const [release = '', build] = cut(rest.join('.'), '+');
  const [patch = '', pre] = cut(release, '-');
  const numbers = [major, minor, patch].map(parseNumber);
  const preParts = pre?.split('.').map((part) => (/^[0-9]+$/.test(part) ? parseNumber(part) : part)) ?? [];
  const isFine = preParts.every((part) => part !== undefined && (typeof part === 'bigint' || identifier.test(part)));
  const isBuildFine = build === undefined || build.split('.').every((part) => identifier.test(part));
  if (!isFine || !isBuildFine || numbers.includes(undefined)) return undefined;
  return { numbers: numbers as [bigint, bigint, bigint], pre: preParts as (bigint | string)[] };
}

function cut(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function parseNumber(text: string): bigint | undefined {
  if (!/^(?:0|[1-9][0-9]{0,19})$/.test(text)) return undefined;
  const number = BigInt(text);
  return number > maxUint64 ? undefined : number;
}

function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const order = compareParts(a.numbers[i] as bigint, b.numbers[i] as bigint);
    if (order !== 0) return order;
  }
  // A pre-release comes before its release.
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const order = compareParts(a.pre[i] as bigint | string, b.pre[i] as bigint | string);
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

function compareParts(a: bigint | string, b: bigint | string): number {
  if (typeof a === 'string') return typeof b === 'string' ? compareText(a, b) : 1;
  if (typeof b === 'string') return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const holds: Record<string, (order: number) => boolean> = {
  '': (order) => order === 0,
  '=': (order) => order === 0,
  '==': (order) => order === 0,
  '!': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

const ranges = new LRUCache<string, Range>({ max: 200 });

/** Comparisons side by side must all hold; `||` separates alternatives; `x` stands for any number. */
function parseRange(text: string): Range {
  let range = ranges.get(text);
  if (range === undefined) {
    const alternatives = splitAlternatives(splitRange(text)).map((parts) =>
      parts.flatMap(expandWildcard).map(parseComparison),
    );
    range = (version) => alternatives.some((all) => all.every((comparison) => comparison(version)));
    ranges.set(text, range);
  }
  return range;
}

/** At spaces, except after an operator; a part of one character is dropped, as the reference implementation does. */
function splitRange(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let lastCharacter = '';
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c !== undefined && c !== ' ') lastCharacter = c;
    else if (c === undefined || !'><='.includes(lastCharacter) || lastCharacter === '') {
      if (i - start > 1) parts.push(text.slice(start, i).replaceAll(' ', ''));
      start = i + 1;
    }
  }
  return parts;
}

function splitAlternatives(parts: readonly string[]): string[][] {
  const alternatives: string[][] = [[]];
  for (const part of parts) {
    if (part === '||') alternatives.push([]);
    else alternatives.at(-1)?.push(part);
  }
  if (parts[0] === '||') throw invalid("First element in range is '||'");
  if (alternatives.at(-1)?.length === 0) throw invalid("Last element in range is '||'");
  return alternatives;
}

/** `1.2.x` → `>=1.2.0 <1.3.0`, and so on for the other operators. */
function expandWildcard(part: string): string[] {
  if (!part.includes('x')) return [part];
  const [operator, version] = splitOperator(part);
  const pieces = version.split('.');
  const wildcard = pieces.at(-1) === 'x' ? pieces.length : 0;
  const flat = flatten(version);
  const next = wildcard === 3 ? increment(flat, 1) : wildcard === 2 ? increment(flat, 0) : '';
  switch (operator) {
    case '>':
      return [`>=${next}`];
    case '<=':
      return [`<${next}`];
    case '>=':
    case '<':
      return [operator + flat];
    case '':
    case '=':
    case '==':
      return [`>=${flat}`, `<${next}`];
    case '!':
    case '!=':
      return [`<${flat}`, `>=${next}`];
    default:
      return [flat];
  }
}

function flatten(version: string): string {
  const flat = version.replace('.x.x', '.x').replace('.x', '.0');
  return flat.split('.').length === 2 ? `${flat}.0` : flat;
}

function increment(version: string, index: number): string {
  const parts = version.split('.');
  if (!/^\d+$/.test(parts[index] ?? '')) return '';
  parts[index] = String(BigInt(parts[index] as string) + 1n);
  return parts.join('.');
}

function splitOperator(part: string): [string, string] {
  const digit = part.search(/\p{Nd}/u);
  if (digit === -1) throw invalid(`Could not get version from string: ${JSON.stringify(part)}`);
  return [part.slice(0, digit).trim(), part.slice(digit)];
}

function parseComparison(part: string): Range {
  const [operator, text] = splitOperator(part);
  const version = parseVersion(text);
  if (!Object.hasOwn(holds, operator) || version === undefined)
    throw invalid(`Could not parse Range ${JSON.stringify(part)}`);
  const isHeld = holds[operator] as (order: number) => boolean;
  return (candidate) => isHeld(compareVersions(candidate, version));
}
