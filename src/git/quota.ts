import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** How often the copy of a running git is measured: at 1 GB/s it exceeds the limit by this much. */
const measureMs = 100;

/** Limits of disk space: for one copy, and for all copies in the cache directory together. */
export class CopyQuota {
  private readonly inUse = new Set<string>();
  /** In the order of their last use. */
  private readonly idle = new Set<string>();

  constructor(
    private readonly maxBytes: number,
    private readonly maxTotalBytes: number,
  ) {}

  enter(repository: string): void {
    this.idle.delete(repository);
    this.inUse.add(repository);
  }

  leave(repository: string): void {
    this.inUse.delete(repository);
    this.idle.add(repository);
  }

  isIdle(repository: string): boolean {
    return this.idle.has(repository);
  }

  /** Calls once when the copy exceeds its limit, or all copies exceed theirs and this one is the largest in use. */
  watch(repository: string, onExceeded: () => void): () => void {
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      void this.isExceededBy(repository)
        .then((isExceeded) => {
          if (isExceeded) onExceeded();
        })
        .finally(() => {
          isBusy = false;
        });
    }, measureMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** The least recently used idle copies that have to go so that all copies keep to their limit. */
  async findSurplus(): Promise<readonly string[]> {
    const sizes = await this.measure([...this.idle, ...this.inUse]);
    let total = sum(sizes.values());
    const surplus: string[] = [];
    for (const repository of this.idle) {
      if (total <= this.maxTotalBytes) break;
      surplus.push(repository);
      total -= sizes.get(repository) ?? 0;
    }
    return surplus;
  }

  forget(repository: string): void {
    this.idle.delete(repository);
  }

  private async isExceededBy(repository: string): Promise<boolean> {
    const own = await sizeOf(repository);
    if (own > this.maxBytes) return true;
    if (own * this.inUse.size <= this.maxTotalBytes / 2 && this.idle.size === 0) return false;
    const sizes = await this.measure([...this.inUse, ...this.idle]);
    if (sum(sizes.values()) <= this.maxTotalBytes) return false;
    // Measured together: a copy that grows meanwhile must not appear larger only because it was measured later.
    const current = sizes.get(repository) ?? 0;
    return [...this.inUse].every((other) => (sizes.get(other) ?? 0) <= current);
  }

  private async measure(repositories: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return new Map(await Promise.all(repositories.map(async (dir) => [dir, await sizeOf(dir)] as const)));
  }
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** Bytes of all files below; what goes away meanwhile counts nothing. */
async function sizeOf(dir: string): Promise<number> {
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
