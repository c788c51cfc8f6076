import { describe, expect, it } from 'vitest';
import type { ImageSource, IsCopy } from './image-source.ts';
import { summaryOf } from './outcome.ts';
import { compileImagePattern } from './pattern.ts';
import { scan } from './scan.ts';
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
    signal: AbortSignal.timeout(5_000),
  });

describe('a scan', () => {
  const isCopy: IsCopy = ({ path }) => path.startsWith('copies/');

  it('leaves repositories of copies out, and says so', async () => {
    const result = await look(['copies/r.example/team/app', 'team/app', 'team/other'], isCopy);
    expect(result.chosen.map(({ repository }) => repository)).toEqual(['team/app']);
    expect(result).toMatchObject({ repositories: 1, copies: 1, images: 1 });
    expect(summaryOf({ scan: result, detected: 1 })).toBe(
      'looked at 1 tags of 1 repositories; left out 1 repositories that hold copies of other images; 1 chosen, 1 of them new',
    );
  });

  it('has room for as many repositories as allowed beside the copies', async () => {
    const paths = ['copies/a/app', 'copies/b/app', 'c/app', 'd/app'];
    expect(await look(paths, isCopy, 2)).toMatchObject({ repositories: 2, isTruncated: false });
    expect(await look(paths, isCopy, 1)).toMatchObject({ repositories: 1, isTruncated: true });
  });

  it('of nothing but copies does not say that no repository matches', async () => {
    const result = await look(['copies/a/app'], isCopy);
    expect(summaryOf({ scan: result, detected: 0 })).toBe(
      'looked at 0 tags of 0 repositories; left out 1 repositories that hold copies of other images; no other repository matches the pattern',
    );
  });
});
