import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Child, freePorts, startChild } from './child.ts';
import { eventually } from './wait.ts';

/** A real registry (Docker's distribution) on loopback, with a folder of its own that goes with it. */
export interface DockerRegistry {
  readonly host: string;
  readonly child: Child;
  stop(): Promise<void>;
}

export interface DockerRegistryOptions {
  /** The text of an htpasswd file (bcrypt). */
  readonly htpasswd?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Default: loopback. */
  readonly address?: string;
}

export async function startDockerRegistry(options: DockerRegistryOptions = {}): Promise<DockerRegistry> {
  const folder = mkdtempSync(path.join(folderOfData(), 'supercargo-docker-registry-'));
  const [port] = (await freePorts(1)) as [number];
  const { address = '127.0.0.1' } = options;
  const host = `${address}:${port}`;
  const write = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  mkdirSync(path.join(folder, 'data'));
  const { htpasswd, tls } = options;
  const config = {
    version: '0.1',
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: path.join(folder, 'data') }, delete: { enabled: true } },
    http: {
      addr: host,
      secret: 'not a secret',
      ...(tls ? { tls: { certificate: write('cert.pem', tls.cert), key: write('key.pem', tls.key) } } : {}),
    },
    ...(htpasswd === undefined ? {} : { auth: { htpasswd: { realm: 'test', path: write('htpasswd', htpasswd) } } }),
  };
  // JSON is YAML.
  const file = write('config.yml', JSON.stringify(config));
  const child = startChild('docker-registry', 'docker-registry', ['serve', file], path.join(folder, 'log'));
  const stop = async () => {
    await child.stop();
    // Ten thousand tags are some hundred thousand entries: more than Node's own removal gets through in time.
    await new Promise((resolve) => spawn('rm', ['-rf', folder], { stdio: 'ignore' }).once('close', resolve));
  };
  try {
    await eventually(async () => {
      child.assertRunning();
      await connectTo(port, address);
    });
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { host, child, stop };
}

const enoughBytes = 4 * 2 ** 30;

/** In memory where there is room: ten thousand tags are a hundred thousand entries, which take minutes on a busy disk. */
function folderOfData(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    accessSync('/dev/shm', constants.W_OK);
    return bavail * bsize >= enoughBytes ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function connectTo(port: number, address: string): Promise<void> {
  const { connect } = await import('node:net');
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, address, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

/** The path of a program, or undefined where it is not installed; crane is also looked for where `go install` puts it. */
export function findProgram(name: string, others: readonly string[] = []): string | undefined {
  const home = process.env['HOME'] ?? '';
  const folders = [
    ...others,
    ...(process.env['PATH'] ?? '').split(':'),
    path.join(process.env['GOPATH'] || path.join(home, 'go'), 'bin'),
  ];
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => spawnSync('test', ['-x', file, '-a', '-f', file]).status === 0);
}
