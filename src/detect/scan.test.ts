import { describe, expect, it } from 'vitest';
import type { ImageResourcePolicy, SeenTags } from '../api/index.ts';
import type { ImageSource, IsCopy } from './image-source.ts';
import { findNewDetections } from './new-detections.ts';
import { compileImagePattern } from './pattern.ts';
import { scan } from './scan.ts';
import { nextPolicyStatus, scanSummary } from './scan-outcome.ts';
import { openTagHistory, rememberTags } from './seen-tags.ts';
import { compileSelection } from './selection.ts';

const digest = `sha256:${'0'.repeat(64)}`;

function registryOf(paths: readonly string[]): ImageSource {
  return {
    registry: 'r.example',
    async *repositories() {
      yield paths.map((path) => ({ path, registry: 'r.example' }));
    },
    tags: async ({ path }) => [{ repository: path, tag: '1.0.0', digest }],
    digestOf: async () => digest,
    close: async () => {},
  };
}

const look = (paths: readonly string[], isCopy: IsCopy, maxRepositories = 50) =>
  scan({
    source: registryOf(paths),
    matcher: compileImagePattern({ imageNamePattern: 'app' }),
    selection: compileSelection({ semver: { range: '*' } }),
    isCopy,
    maxRepositories,
    maxConcurrentScans: 2,
    signal: AbortSignal.timeout(60_000),
  });

describe('a scan', () => {
  const isCopy: IsCopy = ({ path }) => path.startsWith('copies/');

  it('excludes repositories of copies, and reports it', async () => {
    const result = await look(['copies/r.example/team/app', 'team/app', 'team/other'], isCopy);
    expect(result.chosen.map(({ repository }) => repository)).toEqual(['team/app']);
    expect(result).toMatchObject({ repositories: 1, copies: 1, images: 1 });
    expect(scanSummary({ scan: result, detected: 1 })).toBe(
      'scanned 1 tags of 1 repositories; excluded 1 repositories that hold copies of other images; 1 chosen, 1 of them new',
    );
  });

  it('does not count repositories of copies against the limit', async () => {
    const paths = ['copies/a/app', 'copies/b/app', 'c/app', 'd/app'];
    expect(await look(paths, isCopy, 2)).toMatchObject({ repositories: 2, isTruncated: false });
    expect(await look(paths, isCopy, 1)).toMatchObject({ repositories: 1, isTruncated: true });
  });

  it('reports why a chosen tag is not taken', async () => {
    const result = await look(['team/app'], () => false);
    const selection = compileSelection({ semver: { range: '*' } });
    const last = [{ repository: 'team/app', tag: '1.5.0', digest, detectedAt: '2030-01-01T00:00:00Z' }];
    const { detected, known } = findNewDetections(result.chosen, last, selection);
    expect(detected).toEqual([]);
    expect(scanSummary({ scan: result, detected: 0, kept: known.filter(({ isDowngrade }) => isDowngrade) })).toBe(
      'scanned 1 tags of 1 repositories; 1 chosen, 0 of them new; team/app:1.0.0 is not taken: 1.5.0 was detected before, and nothing is downgraded',
    );
  });

  it('of one repository that does not exist is not ready', async () => {
    const source = { ...registryOf(['team/app']), tags: async () => [] };
    const result = await scan({
      source,
      matcher: compileImagePattern({ repositoryPattern: 'team/app' }),
      selection: compileSelection({ semver: { range: '*' } }),
      maxRepositories: 1,
      maxConcurrentScans: 1,
      signal: AbortSignal.timeout(60_000),
    });
    const policy = { metadata: { generation: 1 } } as ImageResourcePolicy;
    const status = nextPolicyStatus(policy, { kind: 'scanned', scan: result, detected: 0, last: [] }, 0);
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'RepositoryNotFound',
      message: expect.stringContaining('the repository team/app does not exist or has no tag'),
    });
  });

  it('reports tags that imagePattern excludes', async () => {
    const source: ImageSource = {
      ...registryOf(['team/app']),
      tags: async ({ path }) => ['1.0.0', 'dev'].map((tag) => ({ repository: path, tag, digest })),
    };
    const { decisions, images } = await scan({
      source,
      matcher: compileImagePattern({ imagePattern: 'team/app:1*' }),
      selection: compileSelection({ semver: { range: '*' } }),
      maxRepositories: 1,
      maxConcurrentScans: 1,
      signal: AbortSignal.timeout(60_000),
    });
    expect(images).toBe(1);
    expect(decisions.map(({ candidate, reason }) => `${candidate.tag}: ${reason}`)).toEqual([
      '1.0.0: the newest in *',
      'dev: its tag does not match imagePattern',
    ]);
  });

  it('of only copies does not report that no repository matches', async () => {
    const result = await look(['copies/a/app'], isCopy);
    expect(scanSummary({ scan: result, detected: 0 })).toBe(
      'scanned 0 tags of 0 repositories; excluded 1 repositories that hold copies of other images; no other repository matches the pattern',
    );
  });
});

describe('a scan for the newest match', () => {
  const tags = Array.from({ length: 150 }, (_, i) => `v${i}`);
  const search = (source: Partial<ImageSource>, seen?: SeenTags) =>
    scan({
      source: {
        ...registryOf(['app']),
        tags: async ({ path }) => tags.map((tag) => ({ repository: path, tag })),
        ...source,
      },
      matcher: compileImagePattern({ imageNamePattern: 'app' }),
      selection: compileSelection({ pattern: { regex: '^v' } }),
      history: openTagHistory(seen, [], '^v'),
      maxRepositories: 50,
      maxConcurrentScans: 3,
      signal: AbortSignal.timeout(60_000),
    });

  it('reads at most a hundred dates, and only those of new tags', async () => {
    const requests: string[] = [];
    const datesOf: ImageSource['datesOf'] = async ({ tag }) => {
      requests.push(tag);
      return { digest, createdAtMs: tag === 'v70' ? 2 : 1 };
    };
    const first = await search({ datesOf });
    expect(requests).toHaveLength(100);
    expect(first.chosen).toMatchObject([{ tag: 'v70', digest, createdAtMs: 2 }]);
    expect(first.listed.get('app')).toEqual(tags);
    requests.length = 0;
    const seen = rememberTags(undefined, new Map([['app', tags.slice(2)]]), '^v');
    expect((await search({ datesOf }, seen)).chosen).toMatchObject([{ tag: 'v1', seen: 'new' }]);
    expect(requests.sort()).toEqual(['v0', 'v1']);
  });

  it('chooses nothing in a repository whose dates cannot be read, and records none of its tags as seen', async () => {
    const datesOf: ImageSource['datesOf'] = async ({ tag }) => {
      if (tag === 'v149') throw new Error('503');
      return { digest, createdAtMs: 1 };
    };
    const result = await search({ datesOf });
    expect(result).toMatchObject({ chosen: [], failures: [{ repository: 'app', message: '503' }] });
    expect(result.listed.size).toBe(0);
  });
});
