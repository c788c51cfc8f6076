import { expect, test } from 'vitest';
import { classify } from './classify.ts';

test.each([
  [
    'No ED25519 host key is known for h and you have requested strict checking.\r\nHost key verification failed.\r\nfatal: Could not read from remote repository.',
    'git-host-key-unknown',
  ],
  ['@@@@\nWARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed.', 'git-host-key-changed'],
  [
    "fatal: unable to access 'https://h/': server certificate verification failed. CAfile: none CRLfile: none",
    'git-certificate-unknown',
  ],
  ["fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate", 'git-certificate-unknown'],
  ["fatal: Authentication failed for 'https://h/r.git/'", 'git-auth-failed'],
  ["fatal: could not read Username for 'https://h': terminal prompts disabled", 'git-auth-failed'],
  ['git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'git-auth-failed'],
  ["fatal: unable to access 'https://h/r/': The requested URL returned error: 403", 'git-auth-failed'],
  [
    'Load key "/x/key": incorrect passphrase supplied to decrypt private key\ngit@h: Permission denied (publickey).',
    'git-key-unusable',
  ],
  ["remote: Not Found\nfatal: repository 'https://h/r.git/' not found", 'git-repository-not-found'],
  ['ERROR: Repository not found.\nfatal: Could not read from remote repository.', 'git-repository-not-found'],
  [
    "fatal: '/no/r.git' does not appear to be a git repository\nfatal: Could not read from remote repository.",
    'git-repository-not-found',
  ],
  [
    'remote: error: GH006: Protected branch update failed for refs/heads/main.\n!\tx:refs/heads/main\t[remote rejected] (protected branch hook declined)',
    'git-branch-protected',
  ],
  [
    'remote: GitLab: You are not allowed to push code to protected branches on this project.\n!\tx:y\t[remote rejected] (pre-receive hook declined)',
    'git-branch-protected',
  ],
  ['To h\n!\tx:refs/heads/main\t[rejected] (fetch first)\nDone\nerror: failed to push some refs', 'git-branch-moved'],
  ['!\tx:refs/heads/main\t[rejected] (non-fast-forward)', 'git-branch-moved'],
  [
    "!\tx:refs/heads/main\t[remote rejected] (cannot lock ref 'refs/heads/main': is at a but expected b)",
    'git-branch-moved',
  ],
  ["fatal: unable to access 'https://h/': Could not resolve host: h", 'git-network'],
  ["fatal: unable to access 'https://h/': Failed to connect to h port 443: Connection refused", 'git-network'],
  ['ssh: connect to host h port 22: Connection timed out', 'git-network'],
  ["fatal: unable to access 'https://h/': The requested URL returned error: 502", 'git-network'],
  ['error: RPC failed; curl 56 Recv failure\nfatal: the remote end hung up unexpectedly', 'git-network'],
  ['fatal: bad object HEAD', 'git-failed'],
  ['', 'git-failed'],
] as const)('%j is %s', (output, code) => {
  const { code: found, message } = classify(output);
  expect(found).toBe(code);
  expect(message).not.toMatch(/[\n\r\t]/);
  expect(message).not.toBe('');
});

test('a message says what to do and quotes the message of git', () => {
  expect(classify("fatal: Authentication failed for 'https://h/r.git/'").message).toBe(
    "the server does not accept the credentials: check the Secret and its permissions on the repository (Authentication failed for 'https://h/r.git/')",
  );
});
