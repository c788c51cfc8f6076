import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, type Logger } from '../base/index.ts';
import { type RegistryServer, startRegistryServer } from '../registryserver/index.ts';

export interface LocalRegistryOptions {
  /** The folder of the cluster; without it nothing outlives the process. */
  readonly dir?: string | undefined;
  readonly log: Logger;
}

export type LocalRegistry = Pick<RegistryServer, 'host' | 'stop'>;

/**
 * Starts the embedded registry. A persistent one keeps its address: images in the cluster are named by it and must stay
 * pullable.
 */
export async function startLocalRegistry({ dir, log }: LocalRegistryOptions): Promise<LocalRegistry> {
  if (dir === undefined) return startRegistryServer({ log });
  const folder = join(dir, 'registry');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'port');
  const before = portIn(file);
  const server = await startRegistryServer({ folder, port: before, log }).catch((thrown) => {
    if (errorCode(thrown) !== 'EADDRINUSE' || before === 0) throw thrown;
    log.warn('the port of the embedded registry is taken; images named by it cannot be pulled until it is free again', {
      port: before,
    });
    return startRegistryServer({ folder, log });
  });
  if (before === 0) writeFileSync(file, `${server.port}\n`, { mode: 0o600 });
  return server;
}

function portIn(file: string): number {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch {
    return 0;
  }
}
