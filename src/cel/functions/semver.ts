import { compareVersions, quoteGo, type Version } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { boolType, intType, opaqueType, stringType } from '../types.ts';
import { intOf } from '../values/numbers.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, form, member } from './declare.ts';

class CelSemver extends CelOpaque {
  readonly typeName = 'kubernetes.Semver';
  readonly size = 1;
  constructor(readonly version: Version) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelSemver ? compareVersions(this.version, other.version) === 0 : undefined;
  }
}

export const semverType = opaqueType('kubernetes.Semver');

/** All three numbers, without zeros before them and without a `v`; the words of refusals are those of blang/semver. */
function parse(text: string): CelSemver | CelError {
  if (text === '') return new CelError('Version string empty');
  const [major, minor, ...rest] = text.split('.');
  if (major === undefined || minor === undefined || rest.length === 0)
    return new CelError('No Major.Minor.Patch elements found');
  const [beforeBuild, build] = cut(rest.join('.'), '+');
  const [patch, prerelease] = cut(beforeBuild, '-');
  const refusal =
    refuseNumber('major', major) ??
    refuseNumber('minor', minor) ??
    refuseNumber('patch', patch) ??
    firstRefusal(prerelease, refusePrerelease) ??
    firstRefusal(build, refuseBuild);
  if (refusal !== undefined) return new CelError(refusal);
  const numbers = { major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch) };
  return new CelSemver({ ...numbers, prerelease: prerelease ?? '', metadata: build ?? '', original: text });
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const firstRefusal = (parts: string | undefined, refuse: (part: string) => string | undefined) =>
  parts
    ?.split('.')
    .map(refuse)
    .find((refusal) => refusal !== undefined);

function refuseNumber(name: string, digits: string): string | undefined {
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  if (!/^\d*$/.test(digits)) return `Invalid character(s) found in ${name} number ${quoteGo(digits)}`;
  if (/^0\d/.test(digits)) return `${title} number must not contain leading zeroes ${quoteGo(digits)}`;
  return refuseUint(digits);
}

function refuseUint(digits: string): string | undefined {
  const parsing = `strconv.ParseUint: parsing ${quoteGo(digits)}: `;
  if (digits === '') return `${parsing}invalid syntax`;
  return digits.length > 20 || BigInt(digits) > maxUint64 ? `${parsing}value out of range` : undefined;
}

const maxUint64 = 2n ** 64n - 1n;

function refusePrerelease(part: string): string | undefined {
  if (part === '') return 'Prerelease is empty';
  if (!/^[0-9A-Za-z-]*$/.test(part)) return `Invalid character(s) found in prerelease ${quoteGo(part)}`;
  if (!/^\d+$/.test(part)) return undefined;
  if (/^0\d/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${quoteGo(part)}`;
  return refuseUint(part);
}

function refuseBuild(part: string): string | undefined {
  if (part === '') return 'Build meta data is empty';
  return /^[0-9A-Za-z-]*$/.test(part) ? undefined : `Invalid character(s) found in build meta data ${quoteGo(part)}`;
}

/** Without the zeros before numbers, and with those that are missing at the end. */
function normalized(text: string): CelSemver | CelError {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])];
  const bare = parts.map((part) => {
    if (Buffer.byteLength(part) <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (bare.length < 3 && /[+-]/.test(bare.at(-1) ?? '')) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (bare.length < 3) bare.push('0');
  return parse(bare.join('.'));
}

const read = (text: string, normalizes = false) => (normalizes ? normalized(text) : parse(text));
const isValid = (text: string, normalizes = false) => !(read(text, normalizes) instanceof CelError);
const two = [semverType, semverType];
const order = (a: CelSemver, b: CelSemver) => compareVersions(a.version, b.version);

export const semverFunctions: readonly FunctionDecl[] = [
  declare(
    'semver',
    form('string_to_semver', [stringType], semverType, (text: string) => read(text)),
    form('string_bool_to_semver', [stringType, boolType], semverType, read),
  ),
  declare(
    'isSemver',
    form('is_semver_string', [stringType], boolType, (text: string) => isValid(text)),
    form('is_semver_string_bool', [stringType, boolType], boolType, isValid),
  ),
  declare(
    'isGreaterThan',
    member('semver_is_greater_than', two, boolType, (a: CelSemver, b: CelSemver) => order(a, b) > 0),
  ),
  declare(
    'isLessThan',
    member('semver_is_less_than', two, boolType, (a: CelSemver, b: CelSemver) => order(a, b) < 0),
  ),
  declare('compareTo', member('semver_compare_to', two, intType, order)),
  ...(['major', 'minor', 'patch'] as const).map((name) =>
    declare(
      name,
      member(`semver_${name}`, [semverType], intType, ({ version }: CelSemver) => intOf(version[name]) ?? 0),
    ),
  ),
];
