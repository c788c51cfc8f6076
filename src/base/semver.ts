import { SupercargoError } from './errors.ts';

/** A version in semver.org's order; a leading `v` and missing parts are allowed, as in Masterminds' library. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  /** As written. */
  readonly original: string;
}

/** An invalid range; `group` is the invalid alternative (between `||`). */
export class SemverError extends SupercargoError {
  constructor(
    message: string,
    readonly group: string,
  ) {
    super('semver-range', message);
  }
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const versionForm = new RegExp(`^v?(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`);
const strictForm = new RegExp(
  `^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`,
);
const maxUint64 = 2n ** 64n - 1n;
/** Longer than any tag may be. */
const maxLength = 256;

/** Undefined for text that is not a version. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > maxLength) return undefined;
  const found = versionForm.exec(text);
  if (!found) return undefined;
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = found;
  const numbers = [major!, minor, patch].map(BigInt);
  if (numbers.some((number) => number > maxUint64)) return undefined;
  // A number with a leading zero would equal another one.
  if (prerelease.split('.').some((part) => /^0\d+$/.test(part))) return undefined;
  return { major: numbers[0]!, minor: numbers[1]!, patch: numbers[2]!, prerelease, metadata, original: text };
}

/** The strict form of semver.org, as in blang/semver: three numbers, none with a leading zero or beyond 64 bits. */
export function parseStrictVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease = '', metadata = ''] = strictForm.exec(text) ?? [];
  if (major === undefined) return undefined;
  const words = prerelease.split('.').filter((part) => /^\d+$/.test(part));
  if ([major, minor!, patch!, ...words].some((part) => part.length > 20 || BigInt(part) > maxUint64)) return undefined;
  if (words.some((part) => /^0\d/.test(part))) return undefined;
  return { major: BigInt(major), minor: BigInt(minor!), patch: BigInt(patch!), prerelease, metadata, original: text };
}

/** By precedence: metadata is ignored. */
export function compareVersions(a: Version, b: Version): number {
  return (
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    comparePrerelease(a.prerelease, b.prerelease)
  );
}

const compareNumbers = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** A release comes after its prereleases; numbers are less than words. */
function comparePrerelease(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === y) continue;
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    return compareIdentifiers(x, y);
  }
  return 0;
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return compareNumbers(BigInt(a), BigInt(b));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : 1;
}
