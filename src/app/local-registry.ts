import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, type Logger } from '../base/index.ts';
import { parseReference, type Tag } from '../image/index.ts';
import { type RegistryServer, startRegistryServer } from '../registryserver/index.ts';

export interface LocalRegistryOptions {
  /** The folder of the cluster; without it nothing outlives the process. */
  readonly dir?: string | undefined;
  readonly log: Logger;
}

export interface LocalRegistry extends Pick<RegistryServer, 'host' | 'stop'> {
  /** `repository@digest` of an image of this registry, as a node reports it; undefined for others. */
  imageId(image: string): string | undefined;
}

/**
 * Starts the embedded registry. A persistent one keeps its address: images in the cluster are named by it and must stay
 * pullable.
 */
export async function startLocalRegistry(options: LocalRegistryOptions): Promise<LocalRegistry> {
  const server = await openRegistry(options);
  const { host } = server;
  return {
    host,
    stop: () => server.stop(),
    imageId(image) {
      if (!image.startsWith(`${host}/`)) return undefined;
      try {
        const { registry, path, tag, digest } = parseReference(image);
        const found = digest ?? server.digestOf(path, tag ?? ('latest' as Tag));
        return found && `${registry}/${path}@${found}`;
      } catch {
        // Whoever writes a pod writes any text.
        return undefined;
      }
    },
  };
}

async function openRegistry({ dir, log }: LocalRegistryOptions): Promise<RegistryServer> {
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
