import { describe, expect, it } from 'vitest';
import type { LastDetected, SeenTags } from '../api/index.ts';
import type { TagCandidate } from './candidate.ts';
import { openTagHistory, rememberTags } from './seen-tags.ts';

const listed = (repository: string, ...tags: readonly string[]) => new Map([[repository, tags]]);
const standing = (seen: SeenTags | undefined, tags: readonly string[], last: readonly LastDetected[] = []) => {
  const candidates = tags.map((tag): TagCandidate => ({ repository: 'a', tag }));
  const classified = openTagHistory(seen, last, '^v').classify(candidates, () => undefined);
  return Object.fromEntries(classified.map(({ tag, seen: how }) => [tag, how]));
};
const last: LastDetected = { repository: 'a', tag: 'v2', digest: 'sha256:2', detectedAt: '2024-01-01T00:00:00Z' };

describe('the tags that earlier scans listed', () => {
  it('are distinguished from newer ones, and from the last detected one', () => {
    const seen = rememberTags(undefined, listed('a', 'v1', 'v2'), '^v');
    expect(standing(seen, ['v1', 'v2', 'v3'], [last])).toEqual({ v1: 'before', v2: 'last', v3: 'new' });
  });

  it('have no effect if there are none, or if the expression has changed', () => {
    const seen = rememberTags(undefined, listed('a', 'v1'), '^x');
    expect(standing(undefined, ['v1'])).toEqual({ v1: undefined });
    expect(standing(seen, ['v1', 'v2'])).toEqual({ v1: undefined, v2: undefined });
    expect(standing(rememberTags(undefined, listed('b', 'v1'), '^v'), ['v1'])).toEqual({ v1: undefined });
  });

  it('stay known while a list omits them, and while their repository cannot be read', () => {
    let seen = rememberTags(undefined, listed('a', 'v1', 'v2'), '^v');
    seen = rememberTags(seen, listed('a', 'v2', 'v3'), '^v');
    seen = rememberTags(seen, listed('b', 'x'), '^v');
    expect(standing(seen, ['v1', 'v2', 'v3', 'x'])).toEqual({ v1: 'before', v2: 'before', v3: 'before', x: 'new' });
  });

  it('are stored unchanged while nothing changes', () => {
    const seen = rememberTags(undefined, listed('a', 'v1', 'v2'), '^v');
    expect(rememberTags(seen, listed('a', 'v2', 'v1'), '^v')).toEqual(seen);
    expect(rememberTags(undefined, new Map(), '^v')).toBeUndefined();
  });

  it('fit in a status: the longest lists are dropped', () => {
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`);
    const seen = rememberTags(
      undefined,
      new Map([
        ['huge', tags(35_000)],
        ['a', tags(10_000)],
      ]),
      '^v',
    );
    expect(JSON.stringify(seen).length).toBeLessThan(300 * 1024);
    expect(seen?.repositories.map(({ repository }) => repository)).toEqual(['a']);
    expect(standing(seen, ['v9999', 'v10000'])).toEqual({ v9999: 'before', v10000: 'new' });
  });
});
