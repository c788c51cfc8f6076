import { describe, expect, it } from 'vitest';
import { compileImagePattern, PatternError, type RepositoryPatterns } from './pattern.ts';

const repositories = [
  'nginx',
  'team-a/web',
  'team-a/api-service',
  'team-b/web',
  'team-a/sub/web',
  'x/nginx',
  'my-service',
];
const taken = (patterns: RepositoryPatterns) => repositories.filter(compileImagePattern(patterns).hasRepository);

describe('a pattern of repositories', () => {
  const rows: readonly (readonly [RepositoryPatterns, readonly string[]])[] = [
    [{ repositoryPattern: 'nginx' }, ['nginx']],
    [{ repositoryPattern: 'team-a/*' }, ['team-a/web', 'team-a/api-service']],
    [{ repositoryPattern: '*/web' }, ['team-a/web', 'team-b/web']],
    [{ repositoryPattern: 'team-*/*' }, ['team-a/web', 'team-a/api-service', 'team-b/web']],
    [{ repositoryPattern: 't*m-*/w*b' }, ['team-a/web', 'team-b/web']],
    [{ repositoryPattern: '*-service' }, ['my-service']],
    [{ imageNamePattern: '*-service' }, ['team-a/api-service', 'my-service']],
    [{ imageNamePattern: 'web' }, ['team-a/web', 'team-b/web', 'team-a/sub/web']],
    [{ imagePattern: 'team-a/*:v*' }, ['team-a/web', 'team-a/api-service']],
    [{ imagePattern: '*/nginx:stable-*' }, ['x/nginx']],
  ];
  it.each(rows)('%j matches %j', (patterns, expected) => {
    expect(taken(patterns)).toEqual(expected);
  });

  it('matches tags by the part after the colon', () => {
    const { hasTag } = compileImagePattern({ imagePattern: 'a/*:v*-rc' });
    expect(['v1-rc', 'v-rc', 'v1', 'rc', 'xv1-rc'].filter(hasTag)).toEqual(['v1-rc', 'v-rc']);
    expect(compileImagePattern({ imagePattern: 'a/b:*' }).hasTag('anything')).toBe(true);
    expect(compileImagePattern({ repositoryPattern: 'a/b' }).hasTag('anything')).toBe(true);
  });

  it('has the prefix that registries can filter by', () => {
    expect(compileImagePattern({ repositoryPattern: 'team-a/*' })).toMatchObject({
      prefix: 'team-a/',
      exact: undefined,
    });
    expect(compileImagePattern({ repositoryPattern: 'team-a/web' })).toMatchObject({ exact: 'team-a/web' });
    expect(compileImagePattern({ imageNamePattern: 'web' })).toMatchObject({ prefix: '' });
  });

  it.each([
    [{}, 'one of repositoryPattern, imageNamePattern, imagePattern is required'],
    [{ repositoryPattern: 'a', imagePattern: 'b:c' }, 'repositoryPattern and imagePattern exclude each other'],
    [{ repositoryPattern: '*' }, 'a lone * would take every repository'],
    [{ imageNamePattern: '*' }, 'a lone * would take every repository'],
    [{ imagePattern: '*:v1' }, 'a lone * would take every repository'],
    [{ repositoryPattern: 'a/**' }, '** has no meaning'],
    [{ imagePattern: 'a/b' }, 'it has no tag'],
    [{ imagePattern: 'a/b:' }, 'the tag is empty'],
    [{ imageNamePattern: 'a/b' }, 'has no slash'],
    [{ repositoryPattern: '' }, 'it is empty'],
    [{ repositoryPattern: 'a/[bc]' }, '"[" is not allowed in a name'],
  ] satisfies [RepositoryPatterns, string][])('%j is refused: %s', (patterns, why) => {
    expect(() => compileImagePattern(patterns)).toThrow(PatternError);
    expect(() => compileImagePattern(patterns)).toThrow(why);
  });

  it('is matched in linear time, whatever the number of stars', () => {
    const { hasRepository } = compileImagePattern({ repositoryPattern: `${'a*'.repeat(50)}b` });
    expect(hasRepository('a'.repeat(10_000))).toBe(false);
  });
});
