import { execFile } from 'node:child_process';
import type { GitEnvironment } from './environment.ts';
import { GitError } from './errors.ts';

const timeoutMs = 10_000;

/**
 * Says why a private key cannot be used; undefined when it can, or when nobody can tell. ssh itself passes over a key that
 * it cannot decrypt, and the server then refuses who shows no key. `ssh-keygen` asks for the passphrase as ssh does.
 */
export function explainKey(path: string, hasPassphrase: boolean, env: GitEnvironment): Promise<GitError | undefined> {
  return new Promise((resolve) => {
    const child = execFile('ssh-keygen', ['-y', '-f', path], { env, timeout: timeoutMs }, (failure, _, stderr) => {
      if (!failure || !/passphrase/i.test(stderr)) return resolve(undefined);
      const message = hasPassphrase
        ? 'ssh-passphrase does not decrypt ssh-privatekey: correct it in the Secret'
        : 'ssh-privatekey is encrypted: add its ssh-passphrase to the Secret';
      resolve(new GitError('git-key-unusable', message));
    });
    child.stdin?.end();
  });
}
