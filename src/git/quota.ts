import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** How often a running git is looked at: at 1 GB/s it gets this far past the limit. */
const lookMs = 100;

/** Calls once when a folder grows past a limit; ends with the function it returns. */
export function watchSize(dir: string, maxBytes: number, onExceeded: () => void): () => void {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void sizeOf(dir)
      .then((bytes) => {
        if (bytes > maxBytes) onExceeded();
      })
      .finally(() => {
        isBusy = false;
      });
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Bytes of all files below; what goes away meanwhile counts nothing. */
export async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return sizeOf(path);
      return lstat(path).then(
        ({ size }) => size,
        () => 0,
      );
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What a git that was killed or failed leaves among the objects: half a pack, a quarantine. */
export async function removeHalfPacks(repository: string): Promise<void> {
  for (const dir of [join(repository, 'objects'), join(repository, 'objects', 'pack')]) {
    const names = await readdir(dir).catch(() => []);
    const left = names.filter((name) => /^\.?tmp[_-]/.test(name));
    await Promise.all(left.map((name) => rm(join(dir, name), { recursive: true, force: true })));
  }
}
