import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/index.ts';
import type { PinnedAddress } from './address.ts';
import { explainKey } from './key-check.ts';
import { ownPrefix } from './leftovers.ts';
import { basicCredentials, type CheckedRemote, endpointOf } from './remote.ts';
import { openSecretFile, type SecretFile } from './secret-file.ts';

export type GitEnvironment = Readonly<Record<string, string>>;

export interface EnvironmentOptions {
  /** Where private directories are created; never below a repository. */
  readonly temporaryDir: string;
  /** The PATH of git and ssh. */
  readonly path: string;
  readonly connectTimeoutSeconds: number;
  /** The address to connect to, instead of resolving the host again. */
  readonly pinned?: PinnedAddress | undefined;
}

/**
 * Runs work with an environment for git that is isolated from the user's: no configuration files, no agent, no prompts,
 * no proxy except the given one. Secrets are passed as variables or as unnamed files, which disappear with this process
 * however it ends; they are never arguments of a command.
 */
export async function withEnvironment<T>(
  remote: CheckedRemote,
  options: EnvironmentOptions,
  work: (env: GitEnvironment, dir: string) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(options.temporaryDir, ownPrefix('git')));
  const secrets: SecretFile[] = [];
  const paths = new Map<string, string>();
  /** Creates a secret and returns its path, valid until the work ends. */
  const secret = async (name: string, text: string) => {
    const file = openSecretFile(text, options.temporaryDir);
    if (file) secrets.push(file);
    else await writeFile(join(dir, name), text, { mode: 0o600 });
    const path = file?.path ?? join(dir, name);
    paths.set(name, path);
    return path;
  };
  try {
    await chmod(dir, 0o700);
    const env = {
      ...baseEnvironment(dir, options.path),
      ...(await sshEnvironment(remote, { ...options, dir, secret })),
      ...(await certificateEnvironment(remote, dir)),
      // Only the protocol of the address, whatever a server suggests.
      GIT_ALLOW_PROTOCOL: endpointOf(remote.url)?.protocol ?? 'file',
      ...configEnvironment([...settingsOf(remote), ...resolveSettings(options.pinned)]),
    };
    return await work(env, dir).catch(async (thrown) => {
      const key = paths.get('key');
      if (key === undefined || errorCode(thrown) !== 'git-auth-failed') throw thrown;
      throw (await explainKey(key, paths.has('passphrase'), env)) ?? thrown;
    });
  } finally {
    for (const file of secrets) file.close();
    await rm(dir, { recursive: true, force: true });
  }
}

const baseEnvironment = (home: string, path: string): GitEnvironment => ({
  PATH: path,
  HOME: home,
  // Messages are parsed, so they must be in English.
  LC_ALL: 'C',
  LANGUAGE: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
});

type Settings = readonly (readonly [key: string, value: string])[];

function settingsOf({ auth, proxy }: CheckedRemote): Settings {
  const settings: [string, string][] = [
    ['http.proxy', proxy ?? ''],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
    // A redirect would lead to an address that was not checked.
    ['http.followRedirects', 'false'],
    ['core.protectHFS', 'true'],
    ['core.protectNTFS', 'true'],
    ['core.hooksPath', '/dev/null'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['credential.helper', ''],
    ['safe.directory', '*'],
    ['protocol.version', '2'],
    ['fetch.recurseSubmodules', 'false'],
    ['push.recurseSubmodules', 'no'],
    ['push.gpgSign', 'false'],
    ['commit.gpgSign', 'false'],
    ['transfer.fsckObjects', 'false'],
    // Bare repositories write bitmaps by default, which is impossible in a partial clone.
    ['repack.writeBitmaps', 'false'],
    // Set from the start, because a process reads its configuration once: a partial clone fetches missing contents on
    // demand.
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialCloneFilter', 'blob:none'],
  ];
  if (auth.kind === 'token' || auth.kind === 'basic') {
    settings.push(['http.extraHeader', `Authorization: Basic ${basicCredentials(auth)}`]);
  }
  return settings;
}

function resolveSettings(pinned: PinnedAddress | undefined): Settings {
  if (pinned === undefined) return [];
  const { host, port, address } = pinned;
  return [['http.curloptResolve', `${host}:${port}:${address.includes(':') ? `[${address}]` : address}`]];
}

/** Configuration as variables: it is on no command line and in no file. */
function configEnvironment(settings: Settings): GitEnvironment {
  const entries = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${settings.length}`, ...Object.fromEntries(entries) };
}

async function certificateEnvironment({ certificateAuthority }: CheckedRemote, dir: string): Promise<GitEnvironment> {
  if (certificateAuthority === undefined) return {};
  const file = join(dir, 'authorities.pem');
  await writeFile(file, certificateAuthority, { mode: 0o600 });
  // Set the variable, because it overrides any configuration.
  return { GIT_SSL_CAINFO: file };
}

interface SshOptions extends EnvironmentOptions {
  readonly dir: string;
  readonly secret: (name: string, text: string) => Promise<string>;
}

async function sshEnvironment({ auth }: CheckedRemote, options: SshOptions): Promise<GitEnvironment> {
  if (auth.kind !== 'ssh') return { GIT_SSH_COMMAND: 'false' };
  const { dir, secret } = options;
  const [knownHosts, config] = [join(dir, 'known_hosts'), join(dir, 'ssh_config')];
  // Editors on Windows write CRLF, with which ssh does not recognise a key.
  const key = await secret('key', `${auth.privateKey.replaceAll('\r\n', '\n').trimEnd()}\n`);
  await writeFile(knownHosts, `${auth.knownHosts.trimEnd()}\n`, { mode: 0o600 });
  const lines = [
    'Host *',
    `IdentityFile "${key}"`,
    ...hostLines(options.pinned),
    'IdentitiesOnly yes',
    'IdentityAgent none',
    `UserKnownHostsFile "${knownHosts}"`,
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking yes',
    'UpdateHostKeys no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PreferredAuthentications publickey',
    // In batch mode ssh would not call the helper for the passphrase either.
    `BatchMode ${auth.passphrase === undefined ? 'yes' : 'no'}`,
    'NumberOfPasswordPrompts 1',
    `ConnectTimeout ${options.connectTimeoutSeconds}`,
    'ServerAliveInterval 15',
    'ServerAliveCountMax 4',
    'ForwardAgent no',
    'ForwardX11 no',
    'ControlMaster no',
  ];
  await writeFile(config, `${lines.join('\n')}\n`, { mode: 0o600 });
  // GIT_SSH_COMMAND would need a shell, which a container image may not have; git runs GIT_SSH itself.
  const helper = await writeHelper(
    join(dir, 'ssh'),
    `const { status } = require('node:child_process').spawnSync('ssh', ['-F', ${JSON.stringify(config)}, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 255;`,
  );
  const command = { GIT_SSH: helper, GIT_SSH_VARIANT: 'ssh' };
  return auth.passphrase === undefined
    ? command
    : { ...command, ...(await askpassEnvironment(auth.passphrase, options)) };
}

async function askpassEnvironment(passphrase: string, { dir, secret }: SshOptions): Promise<GitEnvironment> {
  const file = await secret('passphrase', `${passphrase}\n`);
  const helper = await writeHelper(
    join(dir, 'askpass'),
    `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8'));`,
  );
  // Older versions of ssh call the helper only when DISPLAY is set.
  return { SSH_ASKPASS: helper, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':none' };
}

/** A program that git or ssh starts by its path. It uses our own interpreter: an image without a shell has no other. */
async function writeHelper(path: string, program: string): Promise<string> {
  await writeFile(path, `#!${process.execPath}\n${program}\n`, { mode: 0o700 });
  return path;
}

/** The address is pinned; known_hosts is searched by name, in ssh's notation for other ports. */
function hostLines(pinned: PinnedAddress | undefined): readonly string[] {
  if (pinned === undefined) return [];
  const { host, port, address } = pinned;
  return [`HostName ${address}`, `HostKeyAlias ${port === 22 ? host : `[${host}]:${port}`}`];
}
