import { describe, expect, test } from 'vitest';
import { GitError } from './errors.ts';
import { confinePath } from './path.ts';

describe('a path inside a folder', () => {
  test.each([
    ['', 'a.yaml', 'a.yaml'],
    ['./applications', 'web/a.yaml', 'applications/web/a.yaml'],
    ['apps/', './a.yaml', 'apps/a.yaml'],
    ['/apps//x/', 'a//b', 'apps/x/a/b'],
    ['', '.github/workflows/a.yml', '.github/workflows/a.yml'],
    ['', '.gitignore', '.gitignore'],
    ['', 'a..b/...c', 'a..b/...c'],
  ])('%j and %j is %j', (folder, path, full) => {
    expect(confinePath(folder, path)).toBe(full);
  });

  test.each([
    '',
    '.',
    '/',
    '/etc/passwd',
    '..',
    '../a',
    'a/../../b',
    'a/..',
    '.git',
    '.git/hooks/post-checkout',
    'a/.Git/config',
    '.git./config',
    '.git ',
    'git~1/config',
    '.g\u200cit/config',
    '.git::$INDEX_ALLOCATION',
    'a\0b',
    'a\nb',
    'a\\..\\b',
    'dir/',
    'n'.repeat(256),
    `${'d/'.repeat(600)}f`,
  ])('%j is refused', (path) => {
    expect(() => confinePath('apps', path)).toThrow(GitError);
    expect(() => confinePath('apps', path)).toThrow(
      expect.objectContaining({ code: 'git-path-refused', retry: 'never' }),
    );
  });

  test('a folder outside the repository is refused too', () => {
    expect(() => confinePath('../x', 'a')).toThrow('leads out of the configured folder');
  });
});
