import { compareVersions, parseVersion, type Version } from '../../base/index.ts';
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

const quoted = (text: string) => JSON.stringify(text);

/** All three numbers, without zeros before them and without a `v`. */
function parse(text: string): CelSemver | CelError {
  if (text === '') return new CelError('Version string empty');
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  if (first < 0 || second < 0) return new CelError('No Major.Minor.Patch elements found');
  const patch = text.slice(second + 1).split(/[-+]/)[0] ?? '';
  const parts = [
    ['major', 'Major', text.slice(0, first)],
    ['minor', 'Minor', text.slice(first + 1, second)],
    ['patch', 'Patch', patch],
  ] as const;
  for (const [name, title, digits] of parts) {
    if (!/^\d*$/.test(digits)) return new CelError(`Invalid character(s) found in ${name} number ${quoted(digits)}`);
    if (/^0\d/.test(digits)) return new CelError(`${title} number must not contain leading zeroes ${quoted(digits)}`);
    if (digits === '') return new CelError('strconv.ParseUint: parsing "": invalid syntax');
  }
  const version = parseVersion(text);
  return version ? new CelSemver(version) : new CelError(`Invalid version ${quoted(text)}`);
}

function normalized(text: string): CelSemver | CelError {
  const all = text.replace(/^v/, '').split('.');
  const parts = [...all.slice(0, 2), ...(all.length > 2 ? [all.slice(2).join('.')] : [])].map((part) =>
    part.length > 1 ? part.replace(/^0+(?=\d)/, '').replace(/^0+(?=\D)/, '0') : part,
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parse(parts.join('.'));
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
