import { describe, expect, it } from 'vitest';
import { ImageIndex } from '../inventory/index.ts';
import { type DuplicateCheck, findDuplicates } from './duplicate.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const otherDigest = `sha256:${'b'.repeat(64)}`;
const prefixOf = (tag: string) => /^(dev|prod)-/.exec(tag)?.[1];

/** The result for `r.io/team/web:<tag>` while the given images run. */
function reason(running: readonly string[], tag: string, check: DuplicateCheck, isPrefixed = false) {
  const index = new ImageIndex();
  for (const [i, image] of running.entries())
    index.put({ kind: 'Deployment', namespace: 'n', name: `d${i}` }, [{ container: 'c', image, source: image }]);
  return findDuplicates(
    {
      fullImageName: `r.io/team/web:${tag}`,
      imageDigest: digest,
      tagPrefix: isPrefixed ? prefixOf(tag) : undefined,
      check,
      prefixOf,
      prefixOfDigest: (one) => (one === otherDigest ? 'dev' : undefined),
    },
    index,
  ).reason;
}

describe('an image', () => {
  it.each([
    // Nothing runs, or another image.
    [[], 'v1', 'repository', undefined],
    [['r.io/team/other:v1', 'other.io/team/web:v1'], 'v1', 'repository', undefined],
    [['r.io/team/web-admin:v1'], 'v1', 'repository', undefined],
    // The same image, and other versions of it.
    [['r.io/team/web:v1'], 'v1', 'repository', 'AlreadyDeployed'],
    [['r.io/team/web:v0'], 'v1', 'repository', 'DelegatedToGitOps'],
    [['r.io/team/web:v0', 'r.io/team/web:v1'], 'v1', 'repository', 'AlreadyDeployed'],
    [[`r.io/team/web@${digest}`], 'v1', 'repository', 'AlreadyDeployed'],
    [[`r.io/team/web:v1@${otherDigest}`], 'v1', 'repository', 'DelegatedToGitOps'],
    [['r.io/team/web:v1'], 'v1', 'exact', 'AlreadyDeployed'],
    [['r.io/team/web:v0'], 'v1', 'exact', undefined],
    [[`r.io/team/web@${digest}`], 'v1', 'exact', 'AlreadyDeployed'],
    [[`r.io/team/web:v1@${otherDigest}`], 'v1', 'exact', undefined],
    [['elsewhere.io/a/b/web:v0'], 'v1', 'baseName', 'DelegatedToGitOps'],
    [['elsewhere.io/a/b/webs:v0'], 'v1', 'baseName', undefined],
  ] as const)('while %j run: %s by %s is %s', (running, tag, check, expected) => {
    expect(reason(running, tag, check)).toBe(expected);
  });

  it.each([
    [['r.io/team/web:dev-1'], 'dev-2', 'repository', 'DelegatedToGitOps'],
    [['r.io/team/web:dev-2'], 'dev-2', 'repository', 'AlreadyDeployed'],
    [['r.io/team/web:prod-1'], 'dev-2', 'repository', undefined],
    [['r.io/team/web:developer-1'], 'dev-2', 'repository', undefined],
    [['r.io/team/web:latest'], 'dev-2', 'repository', undefined],
    [[`r.io/team/web@${otherDigest}`], 'dev-2', 'repository', 'DelegatedToGitOps'],
    [[`r.io/team/web@${otherDigest}`], 'prod-2', 'repository', undefined],
    [['x.io/web:dev-1'], 'dev-2', 'baseName', 'DelegatedToGitOps'],
    [['r.io/team/web:dev-1'], 'dev-2', 'exact', undefined],
  ] as const)('with prefixes, while %j run: %s by %s is %s', (running, tag, check, expected) => {
    expect(reason(running, tag, check, true)).toBe(expected);
  });
});

it('compares a deployed tag that the policy does not select by its written prefix', () => {
  const index = new ImageIndex();
  const image = 'r.example/team/hand:dev';
  index.put({ kind: 'Deployment', namespace: 'n', name: 'hand' }, [{ container: 'c', image, source: image }]);
  const reasonFor = (tagPrefix: string) =>
    findDuplicates(
      {
        fullImageName: `r.example/team/hand:${tagPrefix}-v2`,
        imageDigest: 'sha256:1',
        tagPrefix,
        check: 'repository',
        prefixOf,
        prefixOfDigest: () => undefined,
      },
      index,
    ).reason;
  expect([reasonFor('dev'), reasonFor('prod'), reasonFor('de')]).toEqual(['DelegatedToGitOps', undefined, undefined]);
});
