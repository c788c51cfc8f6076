import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareRepository, plainGit, startGitServer } from './git-server.ts';
import { startSshServer } from './ssh-server.ts';

/** A bare repository that a template can be pointed at, and its files as another reader sees them. */
export interface GitTarget {
  readonly url: string;
  /** What the Secret of the template has to hold; undefined where none is needed. */
  readonly secret: Readonly<Record<string, string>> | undefined;
  readonly repository: string;
  stop(): Promise<void>;
}

export async function localTarget(): Promise<GitTarget> {
  const root = mkdtempSync(join(tmpdir(), 'supercargo-git-target-'));
  const repository = join(root, 'manifests.git');
  createBareRepository(repository);
  return {
    url: repository,
    secret: undefined,
    repository,
    stop: async () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Smart HTTP; a token goes as the password of a user whom the server takes for granted. */
export async function httpTarget(kind: 'token' | 'basic'): Promise<GitTarget> {
  const credentials =
    kind === 'token'
      ? { user: 'x-access-token', password: 'a-secret-token' }
      : { user: 'robot', password: 'a secret password' };
  const server = await startGitServer({ credentials });
  createBareRepository(join(server.root, 'manifests.git'));
  return {
    url: `${server.url}/manifests.git`,
    secret:
      kind === 'token'
        ? { token: credentials.password }
        : { username: credentials.user, password: credentials.password },
    repository: join(server.root, 'manifests.git'),
    stop: () => server.close(),
  };
}

export async function sshTarget(sshd: string): Promise<GitTarget> {
  const [server, local] = [await startSshServer(sshd), await localTarget()];
  return {
    url: `ssh://${server.user}@127.0.0.1:${server.port}${local.repository}`,
    secret: {
      'ssh-privatekey': server.lockedKey,
      'ssh-passphrase': server.passphrase,
      known_hosts: server.knownHosts,
    },
    repository: local.repository,
    stop: async () => {
      await server.close();
      await local.stop();
    },
  };
}

/** A server that does not know the token. */
export async function strangerTarget(): Promise<GitTarget> {
  return { ...(await httpTarget('token')), secret: { token: 'some-other-token' } };
}

/** A server that takes no push to the branch. */
export async function protectedTarget(): Promise<GitTarget> {
  const target = await localTarget();
  mkdirSync(join(target.repository, 'hooks'), { recursive: true });
  const hook = join(target.repository, 'hooks', 'pre-receive');
  writeFileSync(
    hook,
    '#!/bin/sh\necho "error: GH006: Protected branch update failed for refs/heads/main." >&2\nexit 1\n',
  );
  chmodSync(hook, 0o755);
  return target;
}

/** A server whose host key is another than the one that is known. */
export async function otherHostTarget(sshd: string): Promise<GitTarget> {
  const target = await sshTarget(sshd);
  const [host] = target.secret!['known_hosts']!.split(' ');
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB';
  return { ...target, secret: { ...target.secret, known_hosts: `${host} ${key}\n` } };
}

/** A server that is not among the known ones. */
export async function unknownHostTarget(sshd: string): Promise<GitTarget> {
  const target = await sshTarget(sshd);
  const [, ...key] = target.secret!['known_hosts']!.split(' ');
  return { ...target, secret: { ...target.secret, known_hosts: ['git.example.com', ...key].join(' ') } };
}

/** The files of a branch, by path; none where the branch is not there. */
export function filesOf(repository: string, branch = 'main'): Readonly<Record<string, string>> {
  const heads = plainGit(repository, 'for-each-ref', '--format=%(refname:short)', 'refs/heads');
  if (!heads.split('\n').includes(branch)) return {};
  const paths = plainGit(repository, 'ls-tree', '-r', '--name-only', branch).split('\n').filter(Boolean);
  return Object.fromEntries(paths.map((path) => [path, plainGit(repository, 'show', `${branch}:${path}`)]));
}

/** Values of the trailer by which detections are found, over the whole history. */
export function committedDetections(repository: string, branch = 'main'): readonly string[] {
  const format = '%(trailers:key=Supercargo-Detection,valueonly)';
  return plainGit(repository, 'log', `--format=${format}`, branch)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ')[0]!);
}
