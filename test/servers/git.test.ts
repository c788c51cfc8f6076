import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import {
  type CommitRequest,
  createGit,
  type Git,
  GitError,
  type GitOptions,
  type GitRemote,
} from '../../src/git/index.ts';
import { createCertificate } from '../support/certificate.ts';
import {
  createBareRepository,
  type GitServer,
  hasGit,
  plainGit,
  plainGitAsync,
  plainGitWith,
  startGitServer,
} from '../support/git-server.ts';
import { findSshd, hasSsh, type SshServer, startSshServer } from '../support/ssh-server.ts';
import { eventually } from '../support/wait.ts';

const signal = new AbortController().signal;
const author = { name: 'Supercargo', email: 'supercargo@example.com' };
const dirs: string[] = [];
function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'supercargo-git-test-'));
  dirs.push(dir);
  return dir;
}
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

function makeGit(options: Partial<GitOptions> = {}): Git {
  const dir = scratch();
  return createGit({
    cacheDir: join(dir, 'cache'),
    temporaryDir: dir,
    path: process.env['PATH'] ?? '',
    timeoutMs: 60_000,
    ...options,
  });
}

const request = (
  remote: GitRemote,
  files: Record<string, string>,
  more: Partial<CommitRequest> = {},
): CommitRequest => ({
  remote,
  message: 'Add manifests',
  author,
  render: async () => Object.entries(files).map(([path, content]) => ({ path, content })),
  ...more,
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (thrown: unknown) => (thrown instanceof GitError ? thrown.code : `${thrown}`),
  );

/** A bare repository with one commit, and a clone of another writer. */
function seeded(path: string): { readonly clone: string } {
  createBareRepository(path);
  const clone = scratch();
  plainGit(clone, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(clone, 'README.md'), 'hello\n');
  mkdirSync(join(clone, 'apps'));
  writeFileSync(join(clone, 'apps/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('/etc', join(clone, 'link'));
  plainGit(clone, 'add', '.');
  plainGit(clone, 'commit', '--quiet', '-m', 'first');
  plainGit(clone, 'remote', 'add', 'origin', path);
  plainGit(clone, 'push', '--quiet', 'origin', 'main');
  return { clone };
}

const show = (repository: string, name: string) => plainGit(repository, 'show', name);

describe.skipIf(!hasGit())('a repository on this machine', () => {
  test('gets a commit with message, author and trailers, and keeps everything else', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    const trailers = [{ key: 'Supercargo-Detection', value: 'default/web-1' }];
    const more = { folder: './apps', trailers, message: 'Deploy web\n\nbecause' };
    const { commit, branchCreated, attempts } = await makeGit().commit(
      request({ url, branch: 'main' }, { 'web/deploy.yaml': 'kind: X\n', 'run.sh': 'new\n' }, more),
      signal,
    );
    expect({ branchCreated, attempts }).toEqual({ branchCreated: false, attempts: 1 });
    expect(plainGit(url, 'rev-parse', 'main')).toBe(commit);
    expect(plainGit(url, 'log', '-1', '--format=%an <%ae>%n%B', 'main')).toBe(
      'Supercargo <supercargo@example.com>\nDeploy web\n\nbecause\n\nSupercargo-Detection: default/web-1',
    );
    expect(plainGit(url, 'ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual([
      'README.md',
      'apps/run.sh',
      'apps/web/deploy.yaml',
      'link',
    ]);
    expect(show(url, 'main:apps/web/deploy.yaml')).toBe('kind: X');
    expect(plainGit(url, 'ls-tree', 'main', 'apps/run.sh')).toMatch(/^100755 /);
  });

  test('gets no empty commit', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    const git = makeGit();
    const change = request({ url, branch: 'main' }, { 'a.yaml': 'a\n' });
    expect((await git.commit(change, signal)).commit).toMatch(/^[0-9a-f]{40}$/);
    expect((await git.commit(change, signal)).commit).toBeUndefined();
    expect((await git.commit(request({ url, branch: 'main' }, {}), signal)).commit).toBeUndefined();
    expect(plainGit(url, 'rev-list', '--count', 'main')).toBe('2');
  });

  test('an empty one gets its first branch, and a missing branch starts at the default one', async () => {
    const url = join(scratch(), 'r.git');
    createBareRepository(url);
    const git = makeGit();
    expect(await git.commit(request({ url, branch: 'main' }, { 'a.yaml': 'a\n' }), signal)).toMatchObject({
      branchCreated: true,
    });
    expect(await git.commit(request({ url, branch: 'env/dev' }, { 'b.yaml': 'b\n' }), signal)).toMatchObject({
      branchCreated: true,
    });
    expect(plainGit(url, 'ls-tree', '--name-only', 'env/dev').split('\n')).toEqual(['a.yaml', 'b.yaml']);
    expect(plainGit(url, 'rev-parse', 'env/dev~1')).toBe(plainGit(url, 'rev-parse', 'main'));
  });

  test('files are read as they are, written, changed and removed', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    const git = makeGit();
    const seen: unknown[] = [];
    const render: CommitRequest['render'] = async (folder) => {
      seen.push(
        await folder.read('README.md'),
        await folder.read('none'),
        await folder.read('link'),
        await folder.list(),
      );
      return [
        { path: 'README.md', content: null },
        { path: 'bin', content: Uint8Array.of(0, 255, 10) },
      ];
    };
    await git.commit(request({ url, branch: 'main' }, {}, { render }), signal);
    expect(seen).toEqual(['hello\n', undefined, undefined, ['README.md', 'apps/run.sh', 'link']]);
    expect(plainGit(url, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(['apps', 'bin', 'link']);
    expect(plainGit(url, 'cat-file', '-s', 'main:bin')).toBe('3');
  });

  test.each([
    '../x',
    '/etc/x',
    'a/../../x',
    '.git/config',
    'a/.GIT/x',
    'link/x',
    'link',
    'apps',
    'README.md/x',
    'a\0b',
    'x'.repeat(300),
    'a\\b',
    '',
    'dir/',
  ])('refuses to write %j', async (path) => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    expect(await codeOf(makeGit().commit(request({ url, branch: 'main' }, { [path]: 'x' }), signal))).toBe(
      'git-path-refused',
    );
    expect(plainGit(url, 'rev-list', '--count', 'main')).toBe('1');
  });

  test('commits are found by their trailer since a time, also by a process that starts afresh', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    const remote = { url, branch: 'main' };
    const trailers = ['a/1', 'a/2'].map((value) => ({ key: 'Supercargo-Detection', value }));
    const { commit } = await makeGit().commit(request(remote, { 'a.yaml': 'a\n' }, { trailers }), signal);
    await makeGit().commit(request(remote, { 'b.yaml': 'b\n' }), signal);
    const find = (sinceMs: number) =>
      makeGit().findCommits({ remote, trailer: 'Supercargo-Detection', sinceMs }, signal);
    expect(await find(Date.now() - 600_000)).toMatchObject([{ commit, values: ['a/1', 'a/2'] }]);
    expect(await find(Date.now() + 600_000)).toEqual([]);
    expect(await makeGit().findCommits({ remote: { url, branch: 'none' }, trailer: 'X', sinceMs: 0 }, signal)).toEqual(
      [],
    );
  });

  test('a moved branch is fetched again and rendered again', async () => {
    const url = join(scratch(), 'r.git');
    const { clone } = seeded(url);
    let renderings = 0;
    const render: CommitRequest['render'] = async (folder) => {
      const readme = await folder.read('README.md');
      if (renderings++ === 0) {
        writeFileSync(join(clone, 'README.md'), 'moved\n');
        plainGit(clone, 'commit', '--quiet', '-am', 'move');
        plainGit(clone, 'push', '--quiet', 'origin', 'main');
      }
      return [{ path: 'seen', content: `${readme}` }];
    };
    const result = await makeGit({ random: () => 1 }).commit(request({ url, branch: 'main' }, {}, { render }), signal);
    expect(result.attempts).toBe(2);
    expect(show(url, 'main:seen')).toBe('moved');
    expect(plainGit(url, 'rev-list', '--count', 'main')).toBe('3');
  });

  test('history that was read once goes on with what others pushed since, merges too', async () => {
    const url = join(scratch(), 'r.git');
    const { clone } = seeded(url);
    const git = makeGit();
    const sinceMs = Date.now() - 600_000;
    const seen = async () => {
      let values: readonly string[] = [];
      const render: CommitRequest['render'] = async (_, history) => {
        values = (await history.findCommits('Key', sinceMs)).flatMap((found) => found.values);
        return [];
      };
      await git.commit(request({ url, branch: 'main' }, {}, { render }), signal);
      return values;
    };
    const trailers = [{ key: 'Key', value: 'ours' }];
    await git.commit(request({ url, branch: 'main' }, { a: '1' }, { trailers }), signal);
    expect(await seen()).toEqual(['ours']);
    const other = (...args: string[]) => plainGit(clone, ...args);
    other('pull', '--quiet', '--ff-only', 'origin', 'main');
    for (const value of ['one', 'two']) other('commit', '--quiet', '--allow-empty', '-m', `Other\n\nKey: ${value}`);
    other('push', '--quiet', 'origin', 'main');
    expect(await seen()).toEqual(['two', 'one', 'ours']);
    other('checkout', '--quiet', '-b', 'side', 'HEAD~1');
    other('commit', '--quiet', '--allow-empty', '-m', 'Side\n\nKey: side');
    other('checkout', '--quiet', 'main');
    other('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
    other('push', '--quiet', 'origin', 'main');
    expect([...(await seen())].sort()).toEqual(['one', 'ours', 'side', 'two']);
    await git.commit(request({ url, branch: 'main' }, { b: '1' }, { trailers }), signal);
    expect([...(await seen())].sort()).toEqual(['one', 'ours', 'ours', 'side', 'two']);
  });

  test('no more history is fetched than requested, whatever is merged', async () => {
    const url = join(scratch(), 'r.git');
    const { clone } = seeded(url);
    const other = (...args: string[]) => plainGit(clone, ...args);
    const old = { GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z' };
    for (let i = 0; i < 20; i++) plainGitWith(old, clone, 'commit', '--quiet', '--allow-empty', '-m', `old ${i}`);
    other('push', '--quiet', 'origin', 'main');
    const dir = scratch();
    const git = makeGit({ cacheDir: join(dir, 'cache') });
    const remote = { url, branch: 'main' };
    await git.commit(request(remote, { a: '1' }), signal);
    await git.commit(request(remote, { b: '1' }), signal);
    other('checkout', '--quiet', '-b', 'side', 'main~10');
    other('commit', '--quiet', '--allow-empty', '-m', 'side');
    other('checkout', '--quiet', 'main');
    other('pull', '--quiet', '--ff-only', 'origin', 'main');
    other('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
    other('push', '--quiet', 'origin', 'main');
    await git.commit(request(remote, { c: '1' }), signal);
    const copy = join(dir, 'cache', readdirSync(join(dir, 'cache'))[0]!);
    const objects = plainGit(copy, 'cat-file', '--batch-check', '--batch-all-objects').split('\n');
    expect(objects.filter((line) => line.includes(' commit ')).length).toBeLessThan(10);
  });

  test('one branch does not cut off what is known of another', async () => {
    const url = join(scratch(), 'r.git');
    const { clone } = seeded(url);
    const [main, dev] = ['main', 'dev'].map((branch) => ({ url, branch })) as [GitRemote, GitRemote];
    let agoMs = 600_000;
    const git = makeGit({ clock: { ...systemClock, now: () => Date.now() - agoMs } });
    const values = ['one', 'three', 'two'];
    for (const value of values)
      await git.commit(request(main, { [value]: '1' }, { trailers: [{ key: 'Key', value }] }), signal);
    const sinceMs = Date.now() - 1_200_000;
    const find = async () => {
      const commits = await git.findCommits({ remote: main, trailer: 'Key', sinceMs }, signal);
      return commits.flatMap((found) => found.values).sort();
    };
    expect(await find()).toEqual(values);
    agoMs = 0;
    plainGit(clone, 'pull', '--quiet', '--ff-only', 'origin', 'main');
    plainGit(clone, 'push', '--quiet', 'origin', 'main:dev');
    await git.commit(request(dev, { dev: '1' }), signal);
    plainGit(clone, 'commit', '--quiet', '--allow-empty', '-m', 'more');
    plainGit(clone, 'push', '--quiet', 'origin', 'main');
    expect(await find()).toEqual(values);
  });

  test('a copy is tidied up after many fetches', async () => {
    const url = join(scratch(), 'r.git');
    const { clone } = seeded(url);
    const dir = scratch();
    const git = makeGit({ cacheDir: join(dir, 'cache') });
    const packs = () => {
      const copy = join(dir, 'cache', readdirSync(join(dir, 'cache'))[0]!);
      return readdirSync(join(copy, 'objects/pack')).filter((name) => name.endsWith('.pack')).length;
    };
    const remote = { url, branch: 'main' };
    const trailers = [{ key: 'Key', value: 'early' }];
    await git.commit(request(remote, { early: '1' }, { trailers }), signal);
    plainGit(clone, 'pull', '--quiet', '--ff-only', 'origin', 'main');
    let largest = 0;
    let hasShrunk = false;
    for (let i = 0; i < 60 && !hasShrunk; i++) {
      plainGit(clone, 'commit', '--quiet', '--allow-empty', '-m', `${i}`);
      plainGit(clone, 'push', '--quiet', 'origin', 'main');
      await git.read(remote, '', (folder) => folder.read('README.md'), signal);
      hasShrunk = packs() < largest;
      largest = Math.max(largest, packs());
    }
    expect([largest, hasShrunk]).toEqual([51, true]);
    // Nothing was thrown away by it: neither what is ours nor what is still at the remote.
    expect(await git.findCommits({ remote, trailer: 'Key', sinceMs: Date.now() - 600_000 }, signal)).toHaveLength(1);
    await git.commit(request(remote, { a: '1' }), signal);
    expect(show(url, 'main:a')).toBe('1');
  });

  test('what is left of a killed process does not stop the next one', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    const dir = scratch();
    const options = { cacheDir: join(dir, 'cache'), temporaryDir: dir };
    await makeGit(options).commit(request({ url, branch: 'main' }, { a: '1' }), signal);
    const [copy] = readdirSync(options.cacheDir);
    for (const lock of ['config.lock', 'shallow.lock', 'packed-refs.lock'])
      writeFileSync(join(options.cacheDir, copy!, lock), '');
    expect((await makeGit(options).commit(request({ url, branch: 'main' }, { b: '2' }), signal)).commit).toBeDefined();
    writeFileSync(join(options.cacheDir, copy!, 'HEAD'), 'garbage');
    expect((await makeGit(options).commit(request({ url, branch: 'main' }, { c: '3' }), signal)).commit).toBeDefined();
  });

  test('a call is called off by its signal, and leaves no files', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    const dir = scratch();
    const controller = new AbortController();
    const render: CommitRequest['render'] = async () => {
      controller.abort(new Error('enough'));
      return [{ path: 'a', content: 'x' }];
    };
    const git = makeGit({ cacheDir: join(dir, 'cache'), temporaryDir: dir });
    await expect(git.commit(request({ url, branch: 'main' }, {}, { render }), controller.signal)).rejects.toThrow(
      'enough',
    );
    expect(readdirSync(dir)).toEqual(['cache']);
  });

  test('without git it says so', async () => {
    const url = join(scratch(), 'r.git');
    expect(
      await codeOf(makeGit({ path: '/nonexistent' }).commit(request({ url, branch: 'main' }, { a: 'x' }), signal)),
    ).toBe('git-missing');
    expect(await codeOf(makeGit().commit(request({ url, branch: 'main' }, { a: 'x' }), signal))).toBe(
      'git-repository-not-found',
    );
  });

  test('a server that refuses the push is named as such', async () => {
    const url = join(scratch(), 'r.git');
    seeded(url);
    writeFileSync(join(url, 'hooks/pre-receive'), '#!/bin/sh\necho "GH006: Protected branch update failed"\nexit 1\n', {
      mode: 0o755,
    });
    expect(await codeOf(makeGit().commit(request({ url, branch: 'main' }, { a: 'x' }), signal))).toBe(
      'git-branch-protected',
    );
  });
});

describe.skipIf(!hasGit())('over HTTP', () => {
  let server: GitServer;
  const password = 's3cret-token-value';
  beforeAll(async () => {
    server = await startGitServer({ credentials: { user: 'x-access-token', password } });
  });
  afterAll(() => server.close());

  const remote = (name: string, auth?: GitRemote['auth']): GitRemote => ({
    url: `${server.url}/${name}`,
    branch: 'main',
    ...(auth ? { auth } : {}),
  });

  test('a token commits, and file contents are not fetched', async () => {
    seeded(join(server.root, 'token.git'));
    const dir = scratch();
    const git = makeGit({ cacheDir: join(dir, 'cache'), temporaryDir: dir });
    const token = remote('token.git', { kind: 'token', token: password });
    expect((await git.commit(request(token, { 'a.yaml': 'a\n' }), signal)).commit).toBeDefined();
    expect(show(join(server.root, 'token.git'), 'main:a.yaml')).toBe('a');
    const copy = join(dir, 'cache', readdirSync(join(dir, 'cache'))[0]!);
    const objects = plainGit(copy, 'cat-file', '--batch-check', '--batch-all-objects').split('\n');
    expect(objects.filter((line) => line.includes(' blob ')).length).toBe(1);
    expect(readFileSync(join(copy, 'config'), 'utf8')).not.toContain(password);
    expect(readdirSync(dir)).toEqual(['cache']);
  });

  test('user and password commit', async () => {
    seeded(join(server.root, 'basic.git'));
    const auth = { kind: 'basic', username: 'x-access-token', password } as const;
    expect((await makeGit().commit(request(remote('basic.git', auth), { a: 'x' }), signal)).commit).toBeDefined();
  });

  test.each([
    ['no credentials', undefined],
    ['a wrong token', { kind: 'token', token: 'wrong-token-value' }],
  ] as const)('%s fail as such, without a word about the secret', async (_, auth) => {
    seeded(join(server.root, `bad-${auth?.kind ?? 'none'}.git`));
    const thrown = await makeGit()
      .commit(request(remote(`bad-${auth?.kind ?? 'none'}.git`, auth), { a: 'x' }), signal)
      .then(
        () => undefined,
        (failure: GitError) => failure,
      );
    expect(thrown).toMatchObject({ code: 'git-auth-failed', retry: 'never' });
    expect(thrown!.message).not.toMatch(/wrong-token-value|\n/);
    expect(thrown!.message).not.toContain(Buffer.from('x-access-token:wrong-token-value').toString('base64'));
  });

  test('a repository that is not there, and a server that is not there', async () => {
    const auth = { kind: 'token', token: password } as const;
    expect(await codeOf(makeGit().commit(request(remote('none.git', auth), { a: 'x' }), signal))).toBe(
      'git-repository-not-found',
    );
    const closed = { url: 'http://127.0.0.1:1/r.git', branch: 'main' };
    const thrown = await makeGit()
      .commit(request(closed, { a: 'x' }), signal)
      .catch((failure: unknown) => failure);
    expect(thrown).toMatchObject({ code: 'git-network', retry: 'backoff' });
  });

  test('a server in trouble may be asked again', async () => {
    server.intercept = (_, response) => {
      response.writeHead(503).end('busy');
      return true;
    };
    expect(
      await codeOf(
        makeGit().commit(request(remote('token.git', { kind: 'token', token: password }), { z: 'z' }), signal),
      ),
    ).toBe('git-network');
    server.intercept = undefined;
  });

  test('a redirect elsewhere does not get the credentials', async () => {
    const other = await startGitServer();
    try {
      server.intercept = (req, response) => {
        response.writeHead(302, { Location: `${other.url}${req.url}` }).end();
        return true;
      };
      const code = await codeOf(
        makeGit().commit(request(remote('token.git', { kind: 'token', token: password }), { z: 'z' }), signal),
      );
      expect(code).toBe('git-repository-not-found');
      expect(other.authorizations).toEqual([]);
    } finally {
      server.intercept = undefined;
      await other.close();
    }
  });

  test('a push whose answer is lost is recognised on the remote', async () => {
    const path = join(server.root, 'lost.git');
    seeded(path);
    let dropped = 0;
    server.intercept = (req, response) => {
      if (!req.url?.endsWith('/git-receive-pack') || req.method !== 'POST' || dropped++ > 0) return false;
      // The request goes through to the repository, and its answer never comes.
      const end = response.end.bind(response);
      response.writeHead = () => response;
      response.write = () => true;
      response.end = () => {
        req.socket.destroy();
        return end();
      };
      return false;
    };
    const { commit } = await makeGit().commit(
      request(remote('lost.git', { kind: 'token', token: password }), { a: 'x' }),
      signal,
    );
    server.intercept = undefined;
    expect(dropped).toBeGreaterThan(0);
    expect(plainGit(path, 'rev-parse', 'main')).toBe(commit);
    expect(plainGit(path, 'rev-list', '--count', 'main')).toBe('2');
  });

  test('a server that never answers is given up', async () => {
    server.intercept = () => true;
    const git = makeGit({ timeoutMs: 1500 });
    expect(
      await codeOf(git.commit(request(remote('token.git', { kind: 'token', token: password }), { z: 'z' }), signal)),
    ).toBe('git-timeout');
    server.intercept = undefined;
  });

  test('with another writer pushing all the time nothing is lost on either side', async () => {
    const path = join(server.root, 'busy.git');
    const { clone } = seeded(path);
    const auth = { kind: 'token', token: password } as const;
    const mine = 4;
    let stop = false;
    let others = 0;
    const writer = (async () => {
      while (!stop) {
        await plainGitAsync(clone, 'fetch', '--quiet', 'origin');
        await plainGitAsync(clone, 'reset', '--quiet', '--hard', 'origin/main');
        writeFileSync(join(clone, `other-${others}`), 'x');
        await plainGitAsync(clone, 'add', '.');
        await plainGitAsync(clone, 'commit', '--quiet', '-m', `other ${others}`);
        const isPushed = await plainGitAsync(clone, 'push', '--quiet', 'origin', 'main').then(
          () => true,
          // Lost the race: once more from the new tip.
          () => false,
        );
        if (isPushed) others++;
        // Anyone who pushes faster than the other can fetch and push wins for ever.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 1000));
      }
    })();
    const git = makeGit();
    const commits: (string | undefined)[] = [];
    try {
      await eventually(() => expect(others).toBeGreaterThan(0));
      for (let i = 0; i < mine; i++) {
        const change = request(
          remote('busy.git', auth),
          { [`mine-${i}`]: 'x' },
          { message: `mine ${i}`, attempts: 50 },
        );
        commits.push((await git.commit(change, signal)).commit);
      }
    } finally {
      stop = true;
      await writer;
    }
    const history = plainGit(path, 'log', '--format=%H %s', 'main').split('\n');
    expect(commits.every((commit) => history.some((line) => line.startsWith(`${commit} mine`)))).toBe(true);
    expect(history.filter((line) => / other \d+$/.test(line)).length).toBe(others);
    expect(history.length).toBe(1 + mine + others);
    const files = plainGit(path, 'ls-tree', '--name-only', 'main').split('\n');
    expect(files.filter((name) => /^(?:mine|other)-/.test(name)).length).toBe(mine + others);
  }, 60_000);
});

describe.skipIf(!hasGit())('over HTTPS', () => {
  test('only a server of a known authority is talked to', async () => {
    const { key, cert, caPem } = createCertificate();
    const credentials = { user: 'x-access-token', password: 's3cret-token-value' };
    const server = await startGitServer({ credentials, tls: { key, cert } });
    try {
      seeded(join(server.root, 'r.git'));
      const auth = { kind: 'token', token: credentials.password } as const;
      const remote = { url: `${server.url}/r.git`, branch: 'main', auth };
      expect(await codeOf(makeGit().commit(request(remote, { a: 'x' }), signal))).toBe('git-certificate-unknown');
      expect(server.authorizations).toEqual([]);
      const known = { ...remote, certificateAuthority: caPem };
      expect((await makeGit().commit(request(known, { a: 'x' }), signal)).commit).toBeDefined();
    } finally {
      await server.close();
    }
  });
});

const sshd = findSshd();
describe.skipIf(!hasGit() || !hasSsh() || sshd === undefined)('over ssh', () => {
  let server: SshServer;
  let repository: string;
  beforeAll(async () => {
    server = await startSshServer(sshd!);
    repository = join(scratch(), 'r.git');
    seeded(repository);
  });
  afterAll(() => server.close());

  const remote = (auth: Partial<Extract<GitRemote['auth'], { kind: 'ssh' }>>): GitRemote => ({
    url: `ssh://${server.user}@127.0.0.1:${server.port}${repository}`,
    branch: 'main',
    auth: { kind: 'ssh', privateKey: server.key, knownHosts: server.knownHosts, ...auth },
  });

  test('a key commits, with a passphrase and without', async () => {
    const dir = scratch();
    const git = makeGit({ cacheDir: join(dir, 'cache'), temporaryDir: dir });
    expect((await git.commit(request(remote({}), { a: 'x' }), signal)).commit).toBeDefined();
    const locked = remote({ privateKey: server.lockedKey, passphrase: server.passphrase });
    expect((await git.commit(request(locked, { b: 'x' }), signal)).commit).toBeDefined();
    expect(readdirSync(dir)).toEqual(['cache']);
  });

  test('a wrong passphrase, a missing one and an unknown key have their own errors', async () => {
    const attempt = (auth: Parameters<typeof remote>[0]) => makeGit().commit(request(remote(auth), { z: 'z' }), signal);
    for (const [auth, code, words] of [
      [{ privateKey: server.lockedKey, passphrase: 'wrong passphrase' }, 'git-key-unusable', 'does not decrypt'],
      [{ privateKey: server.lockedKey }, 'git-key-unusable', 'is encrypted'],
      [{ privateKey: server.strangeKey }, 'git-auth-failed', 'does not accept the credentials'],
    ] as const) {
      const thrown = await attempt(auth).catch((failure: unknown) => failure);
      expect(thrown).toMatchObject({ code, message: expect.stringContaining(words) });
      expect((thrown as Error).message).not.toMatch(/wrong passphrase|PRIVATE KEY|\n/);
    }
  });

  test('a key with the line ends of Windows is used', async () => {
    const privateKey = server.key.replaceAll('\n', '\r\n');
    expect((await makeGit().commit(request(remote({ privateKey }), { w: 'x' }), signal)).commit).toBeDefined();
  });

  test('a host that is not known is not talked to, and one with another key is called a possible attack', async () => {
    const attempt = (knownHosts: string) =>
      makeGit()
        .commit(request(remote({ knownHosts }), { z: 'z' }), signal)
        .catch((failure: unknown) => failure);
    expect(await attempt('example.com ssh-ed25519 AAAA')).toMatchObject({ code: 'git-host-key-unknown' });
    const [host, type, key = ''] = server.knownHosts.trim().split(' ');
    const bytes = Buffer.from(key, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    const changed = await attempt(`${host} ${type} ${bytes.toString('base64')}`);
    expect(changed).toMatchObject({
      code: 'git-host-key-changed',
      message: expect.stringMatching(/may be a man-in-the-middle attack/),
    });
    expect((changed as Error).message).not.toMatch(/ssh-keyscan|add it/);
  });
});
