import { describe, expect, it } from 'vitest';
import { compareVersions, parseStrictVersion, parseVersion, SemverError } from './semver.ts';
import { parseVersionRange } from './semver-range.ts';

describe('a version', () => {
  it.each(['1.2.3', 'v1.2.3', '1', '1.2', '01.2.3', '1.2.3-rc.1', '1.2.3+build.7', 'v1.0.0-a.b+c'])('is %s', (text) => {
    expect(parseVersion(text)?.original).toBe(text);
  });

  it.each([
    '',
    'latest',
    'v',
    '1.2.3.4',
    '1.2.x',
    '1.2.3-01',
    '1.2.3-',
    '1..2',
    'V1.2.3',
    ' 1.2.3',
    '99999999999999999999',
  ])('is not %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it('is ordered as semver.org specifies', () => {
    const texts = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1'];
    const ordered = [...texts, '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0'].map((text) => parseVersion(text)!);
    const shuffled = [...ordered].sort((a, b) => (a.original < b.original ? 1 : -1));
    expect(shuffled.sort(compareVersions).map(({ original }) => original)).toEqual(
      ordered.map(({ original }) => original),
    );
    expect(compareVersions(parseVersion('1.0.0+a')!, parseVersion('v1+b')!)).toBe(0);
  });
});

describe('a range of versions', () => {
  const rows: readonly (readonly [range: string, inside: string, outside: string])[] = [
    ['>=1.0.0', '1.0.0 1.0.1 2.0.0 v1.5', '0.9.9 1.0.0-rc.1 2.0.0-rc.1'],
    ['~1.2.0', '1.2.0 1.2.9', '1.3.0 1.1.9 2.2.0'],
    ['~1', '1.0.0 1.9.0', '2.0.0 0.9.0'],
    ['^1.2.3', '1.2.3 1.9.0', '2.0.0 1.2.2'],
    ['^0.2.3', '0.2.3 0.2.9', '0.3.0 1.0.0'],
    ['^0.0.3', '0.0.3', '0.0.4 0.1.0'],
    ['1.2 - 1.4.5', '1.2.0 1.4.5', '1.4.6 1.1.9'],
    ['>=1.2 <2 || 3.x', '1.2.0 1.9.9 3.0.0 3.7.1', '2.0.0 4.0.0'],
    ['!=1.2.3', '1.2.4', '1.2.3'],
    ['!=1.2.x', '1.3.0 2.2.0', '1.2.0 1.2.9'],
    ['>11', '12.0.0', '11.1.0'],
    ['<=11.x', '11.9.0 10.0.0', '12.0.0'],
    ['*', '0.0.0 1.2.3', '1.2.3-alpha'],
    ['>=1.0.0-0', '1.0.0-rc.1 1.0.0', '0.9.0'],
    ['=>1.0,=<1.1', '1.0.0 1.1.0', '1.2.0'],
  ];
  it.each(rows)('%s has %s and not %s', (text, inside, outside) => {
    const range = parseVersionRange(text);
    const has = (versions: string) => versions.split(' ').map((version) => range.has(parseVersion(version)!));
    expect(has(inside)).not.toContain(false);
    expect(has(outside)).not.toContain(true);
  });

  it.each(['', 'abc', '>', '1 a', ',', '||', '>=1.0.0,', '>>1', '1.2.3.4', '1 - '])('is not %j', (text) => {
    expect(() => parseVersionRange(text)).toThrow(SemverError);
  });

  it('names the invalid part', () => {
    expect(() => parseVersionRange('>=1.0 || newest')).toThrow('"newest" in ">=1.0 || newest" is no range of versions');
  });
});

it('parses strict versions as blang/semver does', () => {
  expect(parseStrictVersion('1.2.3-rc.1+build.5')).toMatchObject({
    major: 1n,
    prerelease: 'rc.1',
    metadata: 'build.5',
  });
  expect(parseStrictVersion('18446744073709551615.0.0-18446744073709551615')).toMatchObject({
    major: 2n ** 64n - 1n,
    prerelease: '18446744073709551615',
  });
  for (const text of [
    'v1.2.3',
    '1.2',
    '01.2.3',
    '1.2.3-01',
    '1.2.3-',
    '1.2.3+',
    '18446744073709551616.0.0',
    '1.2.3-18446744073709551616',
  ])
    expect(parseStrictVersion(text), text).toBeUndefined();
});
