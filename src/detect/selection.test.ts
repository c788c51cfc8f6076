import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TagCandidate } from './candidate.ts';
import { compileSelection, SelectionError, type SelectionSpec } from './selection.ts';

const candidates = (repository: string, ...tags: readonly string[]): TagCandidate[] =>
  tags.map((tag, i) => ({ repository, tag, digest: `sha256:${repository}${tag}`, pushedAtMs: i }));
const chosen = (spec: SelectionSpec, given: readonly TagCandidate[]) =>
  compileSelection(spec)
    .decide(given)
    .filter((decision) => decision.chosen)
    .map(
      ({ candidate, prefix }) => `${candidate.repository}:${candidate.tag}${prefix === undefined ? '' : ` ${prefix}`}`,
    );

describe('versions', () => {
  const given = [...candidates('a', '1.0.0', 'v1.10.0', '1.9.9', '2.0.0-rc.1', 'latest'), ...candidates('b', '0.9.0')];

  it('select the newest in the range, in each repository', () => {
    expect(chosen({ semver: { range: '>=1.0.0' } }, given)).toEqual(['a:v1.10.0']);
    expect(chosen({ semver: { range: '*' } }, given)).toEqual(['a:v1.10.0', 'b:0.9.0']);
  });

  it('select nothing if no tag is in the range, with a reason for each tag', () => {
    const decisions = compileSelection({ semver: { range: '^3' } }).decide(given);
    expect(decisions.some((decision) => decision.chosen)).toBe(false);
    expect(decisions.find(({ candidate }) => candidate.tag === 'latest')?.reason).toBe('it is not a version');
    expect(decisions.find(({ candidate }) => candidate.tag === '1.0.0')?.reason).toBe('it is not in ^3');
  });
});

describe('alphabetical order', () => {
  const given = [...candidates('a', 'b', 'c'), ...candidates('b', 'a', 'd')];

  it('has one winner overall, or one per repository', () => {
    expect(chosen({ alphabetical: {} }, given)).toEqual(['b:a']);
    expect(chosen({ alphabetical: { order: 'desc' } }, given)).toEqual(['b:d']);
    expect(chosen({ alphabetical: { order: 'asc' }, perRepository: true }, given)).toEqual(['a:b', 'b:a']);
  });
});

describe('a regular expression', () => {
  it('chooses the newest by push time', () => {
    expect(chosen({ pattern: { regex: '^v' } }, candidates('a', 'v2', 'v9', 'v1', 'x'))).toEqual(['a:v1']);
  });

  it('chooses one per prefix if prefixes are extracted', () => {
    const tags = ['dev-v1.0.0', 'prod-v1.0.0', 'dev-v1.1.0', 'staging-v2.0.0', 'other'];
    const pattern = { regex: String.raw`^(dev|staging|prod)-v\d+\.\d+\.\d+$`, extractPrefix: true };
    expect(chosen({ pattern }, candidates('a', ...tags))).toEqual([
      'a:dev-v1.1.0 dev',
      'a:prod-v1.0.0 prod',
      'a:staging-v2.0.0 staging',
    ]);
  });

  it('uses the numbers in tags if a registry has no push times', () => {
    const timeless = candidates('a', 'v1.9', 'v1.10', 'v1.2').map(({ pushedAtMs: _, ...rest }) => rest);
    expect(chosen({ pattern: { regex: '^v' } }, timeless)).toEqual(['a:v1.10']);
  });
});

describe('a selection', () => {
  it.each([
    [{}, 'one of semver, alphabetical, pattern is required'],
    [{ semver: { range: '*' }, alphabetical: {} }, 'semver and alphabetical exclude each other'],
    [{ semver: { range: 'newest' } }, 'semver.range: "newest" is no range of versions'],
    [{ pattern: { regex: '(' } }, 'pattern.regex: '],
    [{ pattern: { regex: 'v(?=1)' } }, 'pattern.regex: '],
    [{ pattern: { regex: '^v', extractPrefix: true } }, 'has no group'],
  ] satisfies [SelectionSpec, string][])('%j is refused: %s', (spec, why) => {
    expect(() => compileSelection(spec)).toThrow(SelectionError);
    expect(() => compileSelection(spec)).toThrow(why);
  });

  it('advances to a newer version or a new digest, and never back', () => {
    const at = (tag: string, digest = tag, pushedAtMs = 0): TagCandidate => ({
      repository: 'a',
      tag,
      digest,
      pushedAtMs,
    });
    const versions = compileSelection({ semver: { range: '*' } });
    expect(versions.advances(at('1.0.0'), at('1.0.1'))).toBe(true);
    expect(versions.advances(at('1.0.1'), at('1.0.0'))).toBe(false);
    expect(versions.advances(at('1.0.0'), at('1.0.0', 'other'))).toBe(true);
    expect(versions.advances(at('1.0.0'), at('1.0.0'))).toBe(false);
    const newest = compileSelection({ pattern: { regex: '.' } });
    expect(newest.advances(at('a', 'a', 5), at('b', 'b', 4))).toBe(false);
    expect(newest.advances(at('a', 'a', 5), at('b', 'b', 6))).toBe(true);
  });

  it('does not depend on the order of a registry’s response', () => {
    const tag = fc.constantFrom('1.0.0', 'v1.0.0', '1.0', '2.0.0', 'dev-1', 'dev-2', 'x', 'latest');
    const candidate = fc.record({
      repository: fc.constantFrom('a', 'b'),
      tag,
      digest: fc.constantFrom('sha256:1', 'sha256:2'),
      pushedAtMs: fc.option(fc.nat(3), { nil: undefined }),
    });
    const spec = fc.constantFrom<SelectionSpec>(
      { semver: { range: '>=1' } },
      { alphabetical: { order: 'desc' } },
      { pattern: { regex: '^(dev)?', extractPrefix: true } },
    );
    fc.assert(
      fc.property(
        spec,
        fc.uniqueArray(candidate, { selector: ({ repository, tag: t }) => `${repository}:${t}` }),
        fc.infiniteStream(fc.nat()),
        (given, list, random) => {
          const shuffled = [...list].map((c) => ({ c, at: random.next().value })).sort((a, b) => a.at - b.at);
          expect(
            chosen(
              given,
              shuffled.map(({ c }) => c),
            ),
          ).toEqual(chosen(given, list));
        },
      ),
    );
  });
});
