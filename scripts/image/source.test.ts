import { expect, it } from 'vitest';
import { readSource } from './source.ts';

/** Answers as git does in a clone with these files changed, and these unknown to it. */
const gitOf =
  ({ changed = [] as string[], untracked = [] as string[] }) =>
  async (...args: readonly string[]) => {
    if (args[0] === 'rev-parse') return 'abc';
    if (args[0] === 'log') return '1767225600';
    const showsUntracked = args.some((arg) => /^--untracked-files=(?:normal|all)$/.test(arg));
    return [
      ...changed.map((file) => ` M ${file}`),
      ...(showsUntracked ? untracked.map((file) => `?? ${file}`) : []),
    ].join('\n');
  };

it('is the commit and its time', async () => {
  expect(await readSource(gitOf({}), undefined)).toEqual({ revision: 'abc', created: '2026-01-01T00:00:00Z' });
  expect((await readSource(gitOf({}), '0')).created).toBe('1970-01-01T00:00:00Z');
});

it('is no commit once a file is changed, or is there that git does not know', async () => {
  for (const files of [{ changed: ['src/main.ts'] }, { untracked: ['src/new.ts'] }])
    expect((await readSource(gitOf(files), undefined)).revision).toBe('abc-changed');
});
