import {
  type Version as BaseVersion,
  compareVersions,
  parseVersionRange,
  parseVersion as readVersion,
  SemverError,
  type VersionRange,
} from '../../base/index.ts';
import { CallFailure } from '../errors.ts';
import { quote } from '../format/quote.ts';
import { byteLength } from '../utf8.ts';
import { GoObject, type Kind, Num, narrow, type Value } from '../values.ts';
import { define, type FunctionSpec } from './signature.ts';

const maxLength = 256;
const shape =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const maxUint = 2n ** 64n - 1n;

/** A semantic version as Masterminds' library has it: a leading v and missing parts are fine. */
class Version extends GoObject {
  readonly typeName = '*semver.Version';
  readonly kind: Kind = 'ptr';

  constructor(readonly value: BaseVersion) {
    super();
  }

  override toString(): string {
    const { major, minor, patch, prerelease, metadata } = this.value;
    return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
  }

  readonly methods = methods;

  override call(method: string, [other]: readonly Value[]): Value {
    const { major, minor, patch, prerelease, metadata, original } = this.value;
    switch (method) {
      case 'Major':
        return new Num('uint64', narrow(major));
      case 'Minor':
        return new Num('uint64', narrow(minor));
      case 'Patch':
        return new Num('uint64', narrow(patch));
      case 'Prerelease':
        return prerelease;
      case 'Metadata':
        return metadata;
      case 'Original':
        return original;
      case 'IncMajor':
        return this.next([major + 1n, 0n, 0n]);
      case 'IncMinor':
        return this.next([major, minor + 1n, 0n]);
      case 'IncPatch':
        return this.next([major, minor, prerelease === '' ? patch + 1n : patch]);
      case 'String':
        return this.toString();
      default:
        return this.compared(method, compareVersions(this.value, (other as Version).value));
    }
  }

  private compared(method: string, order: number): Value {
    if (method === 'Compare') return order;
    return method === 'Equal' ? order === 0 : method === 'LessThan' ? order < 0 : order > 0;
  }

  private next([major, minor, patch]: readonly [bigint, bigint, bigint]): Version {
    const original = `${this.value.original.startsWith('v') ? 'v' : ''}${major}.${minor}.${patch}`;
    return new Version({ major, minor, patch, prerelease: '', metadata: '', original });
  }
}

const version = ['*semver.Version'];
const methods: Readonly<Record<string, readonly string[]>> = {
  Major: [],
  Minor: [],
  Patch: [],
  Prerelease: [],
  Metadata: [],
  Original: [],
  IncMajor: [],
  IncMinor: [],
  IncPatch: [],
  String: [],
  Compare: version,
  Equal: version,
  LessThan: version,
  GreaterThan: version,
};

/** Base's answer, with Go's words where there is none. */
function parseVersion(text: string): Version {
  if (byteLength(text) > maxLength) throw new CallFailure(`version string is too long (max ${maxLength} bytes)`);
  const value = readVersion(text);
  if (value) return new Version(value);
  const [, major = '', minor = '', patch = '', prerelease] = shape.exec(text) ?? [];
  const large = [major, minor, patch].find((digits) => digits !== '' && BigInt(digits) > maxUint);
  if (large !== undefined)
    throw new CallFailure(
      `error parsing version segment: strconv.ParseUint: parsing ${quote(large)}: value out of range`,
    );
  throw new CallFailure(prerelease === undefined ? 'invalid semantic version' : 'version segment starts with 0');
}

function checkConstraint(constraint: string, text: string): boolean {
  const range = attemptRange(constraint);
  return range.has(parseVersion(text).value);
}

const maxConstraintLength = 512;
const maxGroups = 32;

function attemptRange(text: string): VersionRange {
  if (byteLength(text) > maxConstraintLength)
    throw new CallFailure(`constraint string is too long (max ${maxConstraintLength} bytes)`);
  if (text.split('||').length > maxGroups) throw new CallFailure(`too many constraint groups (max ${maxGroups})`);
  try {
    return parseVersionRange(text);
  } catch (thrown) {
    if (thrown instanceof SemverError) throw new CallFailure(`improper constraint: ${quote(thrown.group)}`);
    throw thrown;
  }
}

export const semverFunctions: readonly FunctionSpec[] = define({
  'semver(string)': parseVersion,
  'semverCompare(string, string)': (constraint: string, text: string) => checkConstraint(constraint, text),
});
