import { GitError } from './errors.ts';
import { createRedact, type Redact } from './redact.ts';

export type GitAuth =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'token';
      readonly token: string /** What goes before the token; most servers take any. */;
      readonly username?: string;
    }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'ssh'; readonly privateKey: string; readonly passphrase?: string; readonly knownHosts: string };

/** A branch of a repository, and how to reach it. */
export interface GitRemote {
  /** https, http (with credentials only on loopback), ssh, `user@host:path`, or a local path. */
  readonly url: string;
  readonly branch: string;
  readonly auth?: GitAuth;
  /** PEM of certificate authorities that replace the system's. */
  readonly certificateAuthority?: string;
  /** `http://host:port`. Default: none; the environment is ignored. */
  readonly proxy?: string;
}

/** A validated remote: no value in it can be read as an option or written to the wrong file. */
export interface CheckedRemote extends GitRemote {
  readonly auth: GitAuth;
  readonly redact: Redact;
}

const maxUrlLength = 2048;
const scpLike = /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)[^\s]+$/;
/** Only what every URL parser reads alike: curl and ssh connect to what they parse, not to what we checked. */
const plainUrl =
  /^[a-z]+:\/\/(?:[^\s/\\?#@:]+(?::[^\s/\\?#@:]*)?@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^\s\\?#]*)?$/i;
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Checks address, branch and credentials; throws `git-settings-invalid` or `git-host-key-unknown`. */
export function checkRemote(remote: GitRemote): CheckedRemote {
  const auth = remote.auth ?? { kind: 'anonymous' };
  checkUrl(remote.url, auth);
  checkBranch(remote.branch);
  checkAuth(auth);
  const header = auth.kind === 'token' || auth.kind === 'basic' ? basicCredentials(auth) : undefined;
  const secrets = [
    header,
    auth.kind === 'token' ? auth.token : undefined,
    auth.kind === 'basic' ? auth.password : undefined,
    ...(auth.kind === 'ssh' ? [auth.privateKey, auth.passphrase] : []),
  ];
  return { ...remote, auth, redact: createRedact(secrets) };
}

/** `user:secret` in base64, for a header. */
export function basicCredentials(auth: Extract<GitAuth, { kind: 'token' | 'basic' }>): string {
  const pair =
    auth.kind === 'token' ? `${auth.username ?? 'x-access-token'}:${auth.token}` : `${auth.username}:${auth.password}`;
  return Buffer.from(pair, 'utf8').toString('base64');
}

function checkUrl(url: string, auth: GitAuth): void {
  const refuse = (why: string) => new GitError('git-settings-invalid', `the repository address ${why}`);
  if (url === '' || url.length > maxUrlLength || /[\0-\x20\x7f]/.test(url))
    throw refuse('is empty, too long or has spaces in it');
  if (url.startsWith('-') || /^[\w+-]+::/.test(url)) throw refuse('may not be given to git');
  if (url.startsWith('/') || url.startsWith('file:///')) {
    if (auth.kind !== 'anonymous') throw refuse('is a path, which takes no credentials');
    return;
  }
  if (scpLike.test(url) && !url.includes('://')) {
    if (auth.kind !== 'ssh') throw refuse('is an ssh address: it takes an ssh-privatekey and known_hosts');
    if (/(?:^|[@:])-/.test(url)) throw refuse('has a user, host or path that begins with -');
    return;
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['https:', 'http:', 'ssh:'].includes(parsed.protocol))
    throw refuse('must begin with https://, ssh:// or be user@host:path');
  if (!plainUrl.test(url)) throw refuse('has a host, user or path with characters that it may not have, or a query');
  // ssh would read it as an option; git decodes percent signs before ssh sees them.
  if (/^-|%/.test(parsed.hostname) || /^(?:-|%2d)/i.test(parsed.username) || /^\/+-/.test(parsed.pathname))
    throw refuse('has a user, host or path that begins with -, or a host with %');
  if (parsed.password !== '' || (parsed.username !== '' && parsed.protocol !== 'ssh:')) {
    throw refuse('contains credentials: put them into the Secret');
  }
  if ((parsed.protocol === 'ssh:') !== (auth.kind === 'ssh')) {
    throw refuse(
      parsed.protocol === 'ssh:'
        ? 'is an ssh address: it takes an ssh-privatekey and known_hosts'
        : 'is no ssh address, but the credentials are an ssh key',
    );
  }
  if (parsed.protocol === 'http:' && auth.kind !== 'anonymous' && !loopback.test(parsed.hostname)) {
    throw refuse('is http://, which would send the credentials in clear: use https://');
  }
}

export interface Endpoint {
  readonly protocol: 'https' | 'http' | 'ssh';
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

export const defaultPorts = { https: 443, http: 80, ssh: 22 } as const;

/** The endpoint of an address; undefined for a local path. */
export function endpointOf(url: string): Endpoint | undefined {
  if (url.startsWith('/') || url.startsWith('file:')) return undefined;
  if (!url.includes('://')) {
    const host = url.slice(url.lastIndexOf('@', url.indexOf(':')) + 1, url.indexOf(':'));
    return { protocol: 'ssh', host, port: defaultPorts.ssh };
  }
  const parsed = new URL(url);
  const protocol = parsed.protocol.slice(0, -1) as Endpoint['protocol'];
  const port = parsed.port === '' ? defaultPorts[protocol] : Number(parsed.port);
  return { protocol, host: parsed.hostname.replace(/^\[|\]$/g, ''), port };
}

/** The rules of git-check-ref-format that a branch name could break. */
function checkBranch(branch: string): void {
  const isBad = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|\/$|\.$|\.lock(?:\/|$)|(?:^|\/)\./.test(branch);
  if (branch === '' || branch === '@' || branch.length > 250 || isBad) {
    throw new GitError('git-settings-invalid', `${JSON.stringify(branch.slice(0, 100))} is not the name of a branch`);
  }
}

function checkAuth(auth: GitAuth): void {
  const refuse = (why: string) => new GitError('git-settings-invalid', why);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would end the header.
  const hasControl = (text: string) => /[\0-\x1f\x7f]/.test(text);
  if (auth.kind === 'token' && (auth.token === '' || hasControl(auth.token + (auth.username ?? '')))) {
    throw refuse('the Git token is empty or has a line break in it');
  }
  if (
    auth.kind === 'basic' &&
    (auth.username === '' || auth.username.includes(':') || hasControl(auth.username + auth.password))
  ) {
    throw refuse('the Git user name is empty or has a colon in it, or the password has a line break in it');
  }
  if (auth.kind !== 'ssh') return;
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(auth.privateKey))
    throw refuse('ssh-privatekey is not a private key in PEM');
  if (auth.knownHosts.trim() === '') {
    throw new GitError(
      'git-host-key-unknown',
      'known_hosts is empty: add the host key of the Git server to the Secret or the configuration',
    );
  }
}
