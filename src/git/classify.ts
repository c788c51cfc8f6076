import type { GitErrorCode } from './errors.ts';

interface Rule {
  readonly code: GitErrorCode;
  readonly pattern: RegExp;
  readonly advice: string;
}

/** Messages of git, ssh and common servers, most specific first: a refused key also looks like a lost connection. */
const rules: readonly Rule[] = [
  {
    code: 'git-host-key-changed',
    pattern: /host identification has changed|host key for \S+ has changed|revoked host key/i,
    advice:
      "the server's host key is not the one in known_hosts: this may be a man-in-the-middle attack; ask the server's operator for the fingerprint before known_hosts is changed",
  },
  {
    code: 'git-host-key-unknown',
    pattern: /host key verification failed|no \S+ host key is known/i,
    advice: "the server's host key is not in known_hosts: add it to the Secret (ssh-keyscan prints it)",
  },
  {
    code: 'git-certificate-unknown',
    pattern:
      /certificate (?:problem|verif|has expired)|server verification failed|self.signed certificate|unable to get local issuer/i,
    advice: "the server's certificate is not trusted: configure its certificate authority",
  },
  {
    code: 'git-branch-protected',
    pattern:
      /protected branch|GH00[67]|hook declined|not allowed to push|you are not allowed to (?:push|force)|TF402455|read.only/i,
    advice: 'the server refuses pushes to this branch: allow the committer, or choose another branch',
  },
  {
    code: 'git-branch-moved',
    pattern:
      /fetch first|non-fast-forward|stale info|cannot lock ref|failed to (?:lock|update ref)|incorrect old value|reference already exists/i,
    advice: 'someone else pushed to the branch at the same time',
  },
  {
    code: 'git-key-unusable',
    pattern: /incorrect passphrase|error in libcrypto|load key [^\n]*invalid format/i,
    advice: 'ssh-privatekey cannot be read: check ssh-passphrase, and that the key is whole',
  },
  {
    code: 'git-auth-failed',
    pattern:
      /authentication failed|could not read (?:username|password)|permission denied|terminal prompts disabled|returned error: 40[13]|\b40[13] (?:unauthorized|forbidden)|access denied|invalid (?:credentials|username or)|too many authentication failures|bad credentials/i,
    advice: 'the server does not accept the credentials: check the Secret and its permissions on the repository',
  },
  {
    code: 'git-repository-not-found',
    pattern:
      /repository .*not found|not appear to be a git repository|does not exist|returned error: 404|unable to update url base from redirection|returned error: 30\d/i,
    advice: 'there is no such repository, or the credentials may not see it: check the address',
  },
  {
    code: 'git-network',
    pattern:
      /could not resolve|couldn't connect|failed to connect|connection (?:refused|timed out|reset|closed|was)|timed out|network is unreachable|no route to host|early eof|rpc failed|hung up|unexpected disconnect|returned error: (?:5\d\d|429)|ssl|tls|unable to access|kex_exchange|broken pipe/i,
    advice: 'the server cannot be reached',
  },
];

interface Diagnosis {
  readonly code: GitErrorCode;
  readonly message: string;
}

/** One line for the output of a failed command: its meaning, and git's own message. */
export function classify(output: string): Diagnosis {
  const rule = rules.find(({ pattern }) => pattern.test(output));
  const words = decisiveLine(output, rule?.pattern);
  if (!rule) return { code: 'git-failed', message: words || 'git failed without output' };
  return { code: rule.code, message: words === '' ? rule.advice : `${rule.advice} (${words})` };
}

const maxWords = 300;

/** The line that matched the rule, else git's last fatal or error line, without its prefix. */
function decisiveLine(output: string, pattern: RegExp | undefined): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.replace(/^remote:\s*/, '').trim())
    .filter((line) => line !== '' && !/^(?:hint:|warning:|@+$|To |Done$|error: failed to push some refs)/.test(line));
  const decisive =
    (pattern && lines.find((line) => pattern.test(line))) ??
    lines.findLast((line) => /^(?:fatal|error):/.test(line)) ??
    lines.at(-1) ??
    '';
  return decisive
    .replace(/^(?:fatal|error): /, '')
    .replace(/^!\s+/, '')
    .replaceAll('\t', ' ')
    .slice(0, maxWords);
}
