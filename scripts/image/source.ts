import type { Source } from './build.ts';

/**
 * The commit of the working tree. Changes that are not committed are part of its name, files that git does not know among
 * them: they go into the program like the others. Only a commit promises a digest.
 */
export async function readSource(
  git: (...args: readonly string[]) => Promise<string>,
  epoch: string | undefined,
): Promise<Source> {
  const [revision, seconds, changes] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('log', '-1', '--format=%ct'),
    // Whatever status.showUntrackedFiles says.
    git('status', '--porcelain', '--untracked-files=normal'),
  ]);
  const created = new Date(Number(epoch ?? seconds) * 1000);
  return {
    revision: changes === '' ? revision : `${revision}-changed`,
    created: `${created.toISOString().slice(0, 19)}Z`,
  };
}
