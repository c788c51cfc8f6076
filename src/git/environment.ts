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
  /** Where private directories are made; never below a repository. */
  readonly temporaryDir: string;
  /** Where git and ssh are looked for. */
  readonly path: string;
  readonly connectTimeoutSeconds: number;
  /** Where to connect to instead of looking the host up. */
  readonly pinned?: PinnedAddress | undefined;
}

/**
 * Runs work with an environment for git that has nothing of the user's: no configuration files, no agent, no prompts,
 * no proxy but the given one. Secrets go into it as variables or into files without a name, which end with this process
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
  /** The path of a secret, for as long as the work goes on. */
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
      // The protocol of the address and no other, whatever a server suggests.
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

export const baseEnvironment = (home: string, path: string): GitEnvironment => ({
  PATH: path,
  HOME: home,
  // Messages are read, so they must be the ones we know.
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
    // A redirect would lead to an address that nobody checked.
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
    // Written for bare repositories unless told otherwise, and not possible where contents are left at the remote.
    ['repack.writeBitmaps', 'false'],
    // What is left at the remote may be asked for from the start: a process reads its configuration once.
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

/** Configuration as variables: what stands here is on no command line and in no file. */
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
  // The variable wins over any configuration, so it is what has to be set.
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
  // Editors on Windows end lines with CRLF, which ssh does not take for a key.
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
    // Batch mode would not ask the helper for the passphrase either.
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
  // git hands this to a shell; the only thing in it that varies is a directory we made, quoted all the same.
  const command = { GIT_SSH_COMMAND: `ssh -F ${shellQuote(config)}`, GIT_SSH_VARIANT: 'ssh' };
  return auth.passphrase === undefined
    ? command
    : { ...command, ...(await askpassEnvironment(auth.passphrase, options)) };
}

async function askpassEnvironment(passphrase: string, { dir, secret }: SshOptions): Promise<GitEnvironment> {
  const file = await secret('passphrase', `${passphrase}\n`);
  const helper = join(dir, 'askpass');
  // Our own interpreter: an image without a shell has no other.
  const program = `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8'));`;
  await writeFile(helper, `#!${process.execPath}\n${program}\n`, { mode: 0o700 });
  // Older versions of ssh ask the helper only where there seems to be a display.
  return { SSH_ASKPASS: helper, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':none' };
}

/** The address is pinned, and known_hosts is asked for the name, as ssh writes it for another port. */
function hostLines(pinned: PinnedAddress | undefined): readonly string[] {
  if (pinned === undefined) return [];
  const { host, port, address } = pinned;
  return [`HostName ${address}`, `HostKeyAlias ${port === 22 ? host : `[${host}]:${port}`}`];
}

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
