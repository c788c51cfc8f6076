import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAge, compareTags, isNewerThan, maxCreatedReads, parseCreated, planCreatedReads } from './age.ts';
import type { TagCandidate } from './candidate.ts';

const tag = (name: string, more: Partial<TagCandidate> = {}): TagCandidate => ({ repository: 'a', tag: name, ...more });
const newest = (...candidates: readonly TagCandidate[]) => [...candidates].sort(compareAge).at(-1)?.tag;

describe('the newest tag of a registry without push times', () => {
  it('is one that no earlier scan listed, whatever its name and date', () => {
    const old = tag('v9', { seen: 'before', createdAtMs: 9 });
    const last = tag('v5', { seen: 'last' });
    expect(newest(old, last, tag('v1', { seen: 'new', createdAtMs: 1 }))).toBe('v1');
    expect(newest(old, last)).toBe('v5');
  });

  it('is by image date among new ones, then by the numbers, then by the text', () => {
    const arrived = (name: string, createdAtMs?: number) => tag(name, { seen: 'new', createdAtMs });
    expect(newest(arrived('v2', 1), arrived('v1', 2), arrived('v3'))).toBe('v1');
    expect(newest(arrived('dev-v1.10.0'), arrived('staging-v1.2.0'))).toBe('dev-v1.10.0');
    expect(newest(arrived('b-1'), arrived('a-1'))).toBe('b-1');
  });

  it('is by push time if the registry reports it', () => {
    expect(newest(tag('v9', { pushedAtMs: 1 }), tag('v1', { pushedAtMs: 2 }))).toBe('v1');
  });

  it('is found in a total order', () => {
    const candidate = fc.record({
      repository: fc.constant('a'),
      tag: fc.stringMatching(/^[ab][0-9]{0,2}[.-][0-9]?[ab]?$/),
      seen: fc.constantFrom('new', 'last', 'before', undefined),
      createdAtMs: fc.option(fc.nat(2), { nil: undefined }),
    });
    fc.assert(
      fc.property(candidate, candidate, candidate, (a, b, c) => {
        expect(Math.sign(compareAge(a, b))).toBe(-Math.sign(compareAge(b, a)) || 0);
        if (compareAge(a, b) >= 0 && compareAge(b, c) >= 0) expect(compareAge(a, c)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

it('numbers in tags count as numbers, a longer version after a shorter one', () => {
  const ordered = ['latest', 'v1', 'v1.2', 'a-v1.10', 'v1.10', 'v1.10.0', 'a2', '20240102030405060708'];
  expect([...ordered].reverse().sort(compareTags)).toEqual(ordered);
});

describe('what follows the last detection', () => {
  const last = tag('v5', { createdAtMs: 50 });

  it('is a new tag, and never one that was listed before', () => {
    expect(isNewerThan(last, tag('v1', { seen: 'new', createdAtMs: 1 }))).toBe(true);
    expect(isNewerThan(last, tag('v9', { seen: 'before', createdAtMs: 99 }))).toBe(false);
  });

  it('is by dates, otherwise by numbers, if nothing is known of earlier scans', () => {
    expect(isNewerThan(last, tag('v1', { createdAtMs: 51 }))).toBe(true);
    expect(isNewerThan(last, tag('v9', { createdAtMs: 49 }))).toBe(false);
    expect(isNewerThan(last, tag('v6'))).toBe(true);
    expect(isNewerThan(last, tag('v4'))).toBe(false);
    expect(isNewerThan(tag('v5'), tag('v4', { createdAtMs: 1 }))).toBe(false);
  });
});

it.each([
  ['2024-03-01T10:00:00.5Z', Date.UTC(2024, 2, 1, 10, 0, 0, 500)],
  ['2024-03-01T10:00:00.123456789+02:00', Date.UTC(2024, 2, 1, 8, 0, 0, 123)],
  ['1970-01-01T00:00:00Z', undefined],
  ['1970-01-01T00:00:01Z', undefined],
  ['1980-01-01T00:00:01Z', undefined],
  ['0001-01-01T00:00:00Z', undefined],
  ['yesterday', undefined],
  [17, undefined],
  [undefined, undefined],
])('%s as the date of an image is %s', (text, expected) => {
  expect(parseCreated(text)).toBe(expected);
});

describe('the dates that are read', () => {
  const groupOf = ({ repository, tag: name }: TagCandidate) => (name === 'other' ? undefined : repository);
  const planned = (candidates: readonly TagCandidate[], limit?: number) =>
    planCreatedReads(candidates, groupOf, limit).map((one) => `${one.repository}:${one.tag}`);

  it('are those that decide between competitors of the highest standing', () => {
    const seen = (name: string, standing: TagCandidate['seen'], repository = 'a') =>
      tag(name, { repository, seen: standing });
    const many = [seen('v1', 'before'), seen('v2', 'new'), seen('v3', 'new'), seen('other', 'new')];
    const single = [seen('v1', 'before', 'b'), seen('v2', 'before', 'b'), seen('v3', 'last', 'b')];
    expect(planned([...many, ...single])).toEqual(['a:v3', 'a:v2']);
    expect(planned([tag('v1', { pushedAtMs: 1 }), tag('v2', { pushedAtMs: 2 })])).toEqual([]);
  });

  it('are at most a hundred, the highest numbers first, repositories in turn', () => {
    const many = Array.from({ length: 500 }, (_, i) => tag(`v${i}`));
    const few = [tag('v1', { repository: 'b' }), tag('v2', { repository: 'b' })];
    const reads = planned([...many, ...few]);
    expect(reads).toHaveLength(maxCreatedReads);
    expect(reads.slice(0, 5)).toEqual(['a:v499', 'b:v2', 'a:v498', 'b:v1', 'a:v497']);
  });
});
