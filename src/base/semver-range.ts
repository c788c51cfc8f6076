import { compareVersions, parseVersion, SemverError, type Version } from './semver.ts';

/** A range in Masterminds' syntax: `>=1.2, <2 || ~3.1`, `^1.x`, `1.2 - 1.4`. */
export interface VersionRange {
  readonly text: string;
  has(version: Version): boolean;
}

type Check = (version: Version) => boolean;

interface Bound {
  readonly version: Version;
  /** A part is missing or a wildcard. */
  readonly isOpen: boolean;
  readonly isMinorOpen: boolean;
  readonly isPatchOpen: boolean;
}

const part = '(?:\\d+|[xX*])';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const bound = `v?(${part})(?:\\.(${part}))?(?:\\.(${part}))?(-${identifiers})?(\\+${identifiers})?`;
const operator = '=<|<=|=>|>=|!=|~>|=|<|>|~|\\^|';
const oneForm = new RegExp(`^\\s*(${operator})\\s*${bound}\\s*$`);
const plain = bound.replaceAll(/\((?!\?)/g, '(?:');
const hyphenForm = new RegExp(`\\s*(${plain})\\s+-\\s+(${plain})\\s*`, 'g');
const listForm = new RegExp(`\\s*(?:${operator})\\s*(?:v?[0-9xX*][^\\s,]*)`, 'g');
const maxLength = 1024;

/** Throws SemverError that names the invalid part. */
export function parseVersionRange(text: string): VersionRange {
  if (text.length > maxLength) throw new SemverError(`the range has ${text.length} characters`, text);
  const groups = text
    .replace(hyphenForm, '>= $1, <= $2 ')
    .split('||')
    .map((group) => parseGroup(group, text));
  return { text, has: (version) => groups.some((holds) => holds(version)) };
}

/** Only a group that names a prerelease itself matches prereleases. */
function parseGroup(group: string, whole: string): Check {
  const refuse = (piece: string) => improper(whole, group, piece);
  const texts = group.split(',').flatMap((piece) => pieces(piece, refuse));
  const parsed = texts.map((text) => parseOne(text, refuse));
  const allowsPrerelease = parsed.some(({ limit }) => limit.version.prerelease !== '');
  return (version) =>
    (version.prerelease === '' || allowsPrerelease) && parsed.every(({ limit, holds }) => holds(version, limit));
}

/** Spaces separate too: `>=1.2 <2`. */
function pieces(text: string, refuse: Refuse): readonly string[] {
  const found = text.match(listForm) ?? [];
  if (found.length === 0 || found.join('').replaceAll(/\s/g, '') !== text.replaceAll(/\s/g, '')) throw refuse(text);
  return found;
}

type Refuse = (piece: string) => SemverError;

function improper(whole: string, group: string, piece: string): SemverError {
  const where = piece.trim() === whole.trim() ? '' : ` in "${whole}"`;
  return new SemverError(
    `"${piece.trim()}"${where} is no range of versions; write for example >=1.0.0, ~1.2 or ^1`,
    group,
  );
}

type Comparison = (version: Version, limit: Bound) => boolean;

function parseOne(text: string, refuse: Refuse): { readonly limit: Bound; readonly holds: Comparison } {
  const found = oneForm.exec(text);
  const limit = found && boundOf(found[2]!, found[3], found[4], found[5] ?? '');
  if (!limit) throw refuse(text);
  return { limit, holds: comparisons[found[1]!]! };
}

const isWild = (text: string | undefined) => text === undefined || /^[xX*]$/.test(text);

function boundOf(major: string, minor: string | undefined, patch: string | undefined, pre: string): Bound | undefined {
  const make = (numbers: string, flags: Partial<Bound>): Bound | undefined => {
    const version = parseVersion(`${numbers}${pre}`);
    return version && { version, isOpen: false, isMinorOpen: false, isPatchOpen: false, ...flags };
  };
  if (isWild(major)) return make('0.0.0', { isOpen: true });
  if (isWild(minor)) return make(`${major}.0.0`, { isOpen: true, isMinorOpen: true });
  if (isWild(patch)) return make(`${major}.${minor}.0`, { isOpen: true, isPatchOpen: true });
  return make(`${major}.${minor}.${patch}`, {});
}

const less: Comparison = (v, { version }) => compareVersions(v, version) < 0;
const atLeast: Comparison = (v, { version }) => compareVersions(v, version) >= 0;

const greater: Comparison = (v, { version: c, isMinorOpen, isPatchOpen }) => {
  if (isMinorOpen) return v.major > c.major;
  if (isPatchOpen) return v.major > c.major || (v.major === c.major && v.minor > c.minor);
  return compareVersions(v, c) > 0;
};

const atMost: Comparison = (v, { version: c, isOpen, isMinorOpen }) => {
  if (!isOpen) return compareVersions(v, c) <= 0;
  if (v.major > c.major) return false;
  return !(v.major === c.major && v.minor > c.minor && !isMinorOpen);
};

const tilde: Comparison = (v, limit) => {
  const { version: c, isMinorOpen, isPatchOpen } = limit;
  if (less(v, limit)) return false;
  // ~0.0.0, and so the lone star, matches any version.
  if (c.major === 0n && c.minor === 0n && c.patch === 0n && !isMinorOpen && !isPatchOpen) return true;
  return v.major === c.major && (isMinorOpen || v.minor === c.minor);
};

const same: Comparison = (v, limit) => (limit.isOpen ? tilde(v, limit) : compareVersions(v, limit.version) === 0);

const different: Comparison = (v, { version: c, isOpen, isMinorOpen, isPatchOpen }) => {
  if (!isOpen) return compareVersions(v, c) !== 0;
  if (v.major !== c.major) return true;
  if (isMinorOpen) return false;
  if (v.minor !== c.minor) return true;
  if (isPatchOpen) return v.prerelease !== c.prerelease;
  return compareVersions(v, c) !== 0;
};

/** Up to the left-most number that is not zero. */
const caret: Comparison = (v, limit) => {
  const { version: c, isMinorOpen, isPatchOpen } = limit;
  if (less(v, limit)) return false;
  if (c.major > 0n || isMinorOpen) return v.major === c.major;
  if (v.major > 0n) return false;
  if (c.minor > 0n || isPatchOpen) return v.minor === c.minor;
  if (v.minor > 0n) return false;
  return v.patch === c.patch;
};

const comparisons: Readonly<Record<string, Comparison>> = {
  '': same,
  '=': same,
  '!=': different,
  '>': greater,
  '<': less,
  '>=': atLeast,
  '=>': atLeast,
  '<=': atMost,
  '=<': atMost,
  '~': tilde,
  '~>': tilde,
  '^': caret,
};
