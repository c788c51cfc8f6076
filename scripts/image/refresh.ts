import { join } from 'node:path';
import { openAptRoot, resolvePackages } from './debian.ts';
import { type ImageLock, writeLock } from './lock.ts';
import { downloadNode, newestNode } from './node-package.ts';
import { learnPackage } from './package-cache.ts';

/** Writes the lock anew: the newest Node of the major version, and what the apt sources have now. */
export async function refreshLock(cache: string, nodeMajor: number): Promise<ImageLock> {
  const version = await newestNode(nodeMajor);
  const learnNode = (architecture: 'amd64' | 'arm64') => learnPackage(cache, downloadNode(architecture, version));
  const resolve = async (architecture: 'amd64' | 'arm64') =>
    resolvePackages(await openAptRoot(join(cache, 'apt'), architecture));
  const lock = {
    node: { version, sha256: { amd64: await learnNode('amd64'), arm64: await learnNode('arm64') } },
    debian: { amd64: await resolve('amd64'), arm64: await resolve('arm64') },
  };
  writeLock(lock);
  return lock;
}
