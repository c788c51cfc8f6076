import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const imageCache = (env: NodeJS.ProcessEnv = process.env) =>
  join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'supercargo', 'image');

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export interface CachedPackage {
  /** Names the package in messages. */
  readonly what: string;
  readonly sha256: string;
  /** Downloads one file into a folder. */
  readonly download: (folder: string) => Promise<unknown>;
}

/** A package by its SHA-256, from the cache or downloaded; other bytes than the lock names are refused. */
export async function fetchPackage(cache: string, { what, sha256, download }: CachedPackage): Promise<string> {
  const file = join(cache, sha256);
  const cached = await readFile(file).catch(() => undefined);
  if (cached !== undefined && sha256Of(cached) === sha256) return file;
  const found = await downloadInto(cache, download);
  try {
    if (found.sha256 !== sha256)
      throw new Error(`${what} has the SHA-256 ${found.sha256}, but the lock file says ${sha256}`);
    await rename(found.file, file);
    return file;
  } finally {
    await rm(found.folder, { recursive: true, force: true });
  }
}

/** The SHA-256 of a package, for a new lock file; the package is kept for the next build. */
export async function learnPackage(cache: string, download: CachedPackage['download']): Promise<string> {
  const found = await downloadInto(cache, download);
  await rename(found.file, join(cache, found.sha256));
  await rm(found.folder, { recursive: true, force: true });
  return found.sha256;
}

async function downloadInto(cache: string, download: CachedPackage['download']) {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'download-'));
  try {
    await download(folder);
    const [name, ...others] = await readdir(folder);
    if (name === undefined || others.length > 0) throw new Error(`expected one file, got ${1 + others.length}`);
    const file = join(folder, name);
    return { folder, file, sha256: sha256Of(await readFile(file)) };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
}
