import { LRUCache } from 'lru-cache';
import { compareVersions, parseStrictVersion, type Version } from '../../base/index.ts';
import { invalid } from '../errors.ts';
import { define, type FunctionSpec } from './signature.ts';

/** A version that cannot be read counts as 0.0.0; a range that cannot be read is an error. */
export const semverFunctions: readonly FunctionSpec[] = [
  define('semver_compare', ['string', 'string'], (run, version: string, range: string) => {
    run.chargeText(version.length + range.length);
    return parseRange(range)(parseStrictVersion(version) ?? zero);
  }),
];

type Range = (version: Version) => boolean;

const zero = parseStrictVersion('0.0.0')!;

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
  const version = parseStrictVersion(text);
  if (!Object.hasOwn(holds, operator) || version === undefined)
    throw invalid(`Could not parse Range ${JSON.stringify(part)}`);
  const isHeld = holds[operator] as (order: number) => boolean;
  return (candidate) => isHeld(compareVersions(candidate, version));
}
