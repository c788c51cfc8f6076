import { execFile } from 'node:child_process';
import type { GitEnvironment } from './environment.ts';
import { GitError } from './errors.ts';

const timeoutMs = 10_000;

/**
 * Explains why a private key is unusable; undefined when it is usable or the reason is unknown. ssh skips a key that it
 * cannot decrypt, and the server then reports a missing key. `ssh-keygen` gets the passphrase in the same way as ssh.
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
