import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Logger } from '../base/index.ts';
import type { Environment } from '../kube/index.ts';
import { configOf } from './config.ts';
import type { Connection } from './connect.ts';
import { runDashboard } from './dashboard.ts';

interface LocalDashboardOptions {
  readonly connection: Connection;
  readonly installation: string;
  /** The namespace of the installation. */
  readonly namespace: string;
  /** Only objects of this namespace are read. */
  readonly only: string | undefined;
  readonly port: number;
  readonly page: URL | undefined;
  readonly version: string;
  readonly onListening: (link: string) => void;
  readonly log: Logger;
}

/** The page on loopback, read with the identity of the connection; whoever has the link sees what that may list. */
export function runLocalDashboard(options: LocalDashboardOptions, signal: AbortSignal): Promise<void> {
  const { connection, installation, namespace, only, port, page, version, log } = options;
  const linkToken = randomBytes(24).toString('base64url');
  return runDashboard(
    {
      config: configOf({ installation, features: [], dashboard: { port } }),
      connection,
      namespace,
      only,
      linkToken,
      pageFolder: page && fileURLToPath(page),
      version,
      cluster: connection.client.config.name,
      onListening: (listening) => options.onListening(`http://127.0.0.1:${listening}/#token=${linkToken}`),
      log,
    },
    signal,
  );
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
};

interface OpenOptions {
  readonly link: string;
  readonly temporaryDir: string;
  readonly env: Environment;
  readonly platform: string;
}

interface Opened {
  /** False if no browser could be started. */
  readonly isOpen: boolean;
  /** Removes the file with the link. */
  readonly remove: () => Promise<void>;
}

/**
 * Opens the browser at the link. Other users of the machine can read the arguments of a process, so the browser gets a
 * file that only this user can read, which leads to the link.
 */
export async function openBrowser({ link, temporaryDir, env, platform }: OpenOptions): Promise<Opened> {
  const opener = openers[platform];
  if (!opener) return { isOpen: false, remove: async () => {} };
  const folder = await mkdtemp(join(temporaryDir, 'supercargo-page-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, 'open.html');
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">\n`, { mode: 0o600 });
  const [program, ...args] = opener;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, pathToFileURL(file).href], { env, stdio: 'ignore', detached: true });
    child.once('error', () => resolve({ isOpen: false, remove }));
    child.once('spawn', () => {
      child.unref();
      resolve({ isOpen: true, remove });
    });
  });
}
