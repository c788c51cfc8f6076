import { readFileSync } from 'node:fs';
import { createGit, type GitRemote } from '../../src/git/index.ts';

/** Reads over ssh until it is killed: argv has a file with the remote, and the temporary folder. */
const [, , file = '', dir = ''] = process.argv;
const remote = JSON.parse(readFileSync(file, 'utf8')) as GitRemote;
const git = createGit({ cacheDir: `${dir}/cache`, temporaryDir: dir, path: process.env['PATH'] ?? '' });
await git.read(
  remote,
  '',
  async () => {
    process.stdout.write('reading\n');
    await new Promise(() => setInterval(() => {}, 1_000));
  },
  new AbortController().signal,
);
