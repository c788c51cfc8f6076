import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Poll interval of a running git: at 1 GB/s it exceeds the limit by up to 100 MB. */
const lookMs = 100;

/** Calls `onExceeded` once when a directory grows past a limit. The returned function stops the watch. */
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

/** Bytes of all files below; files that disappear meanwhile do not count. */
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

/** Removes what a killed or failed git leaves among the objects: partial packs, quarantine directories. */
export async function removeHalfPacks(repository: string): Promise<void> {
  for (const dir of [join(repository, 'objects'), join(repository, 'objects', 'pack')]) {
    const names = await readdir(dir).catch(() => []);
    const left = names.filter((name) => /^\.?tmp[_-]/.test(name));
    await Promise.all(left.map((name) => rm(join(dir, name), { recursive: true, force: true })));
  }
}
