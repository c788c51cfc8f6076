import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { missingOf } from './skip.ts';
import { eventually } from './wait.ts';

/** The path of sshd, or undefined with the reason on standard error. */
export function findSshd(): string | undefined {
  const dirs = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const path = dirs.map((dir) => join(dir, 'sshd')).find((candidate) => existsSync(candidate));
  missingOf('tests over ssh', { sshd: path });
  return path;
}

export interface SshServer {
  readonly port: number;
  readonly user: string;
  /** A line for known_hosts. */
  readonly knownHosts: string;
  /** Private keys that may log in: without a passphrase, and with it. */
  readonly key: string;
  readonly lockedKey: string;
  readonly passphrase: string;
  /** One that may not. */
  readonly strangeKey: string;
  close(): Promise<void>;
}

/** A real sshd on loopback that lets this user in with keys of its own. */
export async function startSshServer(sshd: string): Promise<SshServer> {
  const dir = mkdtempSync(join(tmpdir(), 'supercargo-sshd-'));
  const passphrase = 'open sesame 42';
  const keygen = (name: string, secret = '') => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', secret, '-C', name, '-f', join(dir, name)]);
    return readFileSync(join(dir, name), 'utf8');
  };
  const [, key, lockedKey, strangeKey] = [
    keygen('host'),
    keygen('key'),
    keygen('locked', passphrase),
    keygen('strange'),
  ];
  const port = await freePort();
  writeFileSync(join(dir, 'authorized_keys'), readFileSync(join(dir, 'key.pub')));
  writeFileSync(join(dir, 'authorized_keys'), readFileSync(join(dir, 'locked.pub')), { flag: 'a' });
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(dir, 'host')}`,
    `AuthorizedKeysFile ${join(dir, 'authorized_keys')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'PidFile none',
  ];
  writeFileSync(join(dir, 'sshd_config'), `${config.join('\n')}\n`);
  // sshd of a package wants this directory where it runs as root, and a container may not have it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const server = spawn(sshd, ['-D', '-e', '-f', join(dir, 'sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  server.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  await eventually(async () => {
    if (server.exitCode === null && !(await canConnect(port))) throw new Error('sshd does not listen yet');
  });
  if (server.exitCode !== null) throw new Error(`sshd does not start: ${complaint}`);
  const hostKey = readFileSync(join(dir, 'host.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
  return {
    port,
    user: userInfo().username,
    knownHosts: `[127.0.0.1]:${port} ${hostKey}\n`,
    key,
    lockedKey,
    passphrase,
    strangeKey,
    close: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill();
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Whether the ssh client is there too; says on standard error when it is not. */
export function hasSsh(): boolean {
  const exists = spawnSync('ssh', ['-V'], { stdio: 'ignore' }).status === 0;
  missingOf('tests over ssh', { ssh: exists });
  return exists;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
