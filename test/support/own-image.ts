import { fileURLToPath } from 'node:url';
import { buildImage } from '../../scripts/image/build.ts';
import type { BuiltImage } from '../../scripts/image/layout.ts';
import { readLock } from '../../scripts/image/lock.ts';
import { imageCache } from '../../scripts/image/package-cache.ts';
import { pushBuilt } from '../../scripts/image/push.ts';
import { parseReference } from '../../src/image/index.ts';
import { createRegistryClient, type RegistryClient } from '../../src/registry/index.ts';

/** The container image of the built program, for this machine. The packages come from the cache of `npm run image`. */
export function buildOwnImage(): Promise<BuiltImage> {
  return buildImage({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    cache: imageCache(),
    layerCache: imageCache(),
    lock: readLock(),
    architectures: [process.arch === 'arm64' ? 'arm64' : 'amd64'],
    source: { revision: 'test', created: '2026-01-01T00:00:00Z' },
    log: () => {},
  });
}

/** A client of registries of the tests, over plain HTTP. */
export const plainRegistryClient = () => createRegistryClient({ settings: () => ({ isInsecure: true }) });

export async function pushOwnImage(client: RegistryClient, name: string, image: BuiltImage): Promise<void> {
  await pushBuilt(client, parseReference(name), image);
}
