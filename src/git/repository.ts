import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AddressPolicy, errorCode } from '../base/index.ts';
import { pinAddress } from './address.ts';
import { type EnvironmentOptions, withEnvironment } from './environment.ts';
import { GitError } from './errors.ts';
import type { ProcessOptions } from './process.ts';
import { CopyQuota, removeHalfPacks } from './quota.ts';
import { type CheckedRemote, checkRemote, type GitRemote } from './remote.ts';
import { createRepositoryCache, type RepositoryCache, Session } from './session.ts';

interface StoreOptions extends EnvironmentOptions, Omit<ProcessOptions, 'quota'> {
  /** Where copies of remotes are kept between calls; it belongs to this process alone. */
  readonly cacheDir: string;
  /** How large one copy may become. */
  readonly maxRepositoryBytes: number;
  /** How large all copies together may become. Idle ones are removed first, then the largest git is stopped. */
  readonly maxCacheBytes: number;
  /** Which addresses a remote may have; any when left out. */
  readonly addresses?: AddressPolicy | undefined;
}

/** Local clones of remotes: bare, without file contents, one per address, used by one caller at a time. */
export class RepositoryStore {
  private readonly queues = new Map<string, Promise<unknown>>();
  private readonly opened = new Map<string, RepositoryCache>();
  private readonly quota: CopyQuota;

  constructor(private readonly options: StoreOptions) {
    this.quota = new CopyQuota(options.maxRepositoryBytes, options.maxCacheBytes);
  }

  /** Runs work on the clone of a remote, after all earlier callers. */
  use<T>(remote: GitRemote, signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const checked = checkRemote(remote);
    const repository = join(
      this.options.cacheDir,
      `${createHash('sha256').update(remote.url).digest('hex').slice(0, 32)}.git`,
    );
    const used = this.inTurn(repository, async () => {
      signal.throwIfAborted();
      await mkdir(this.options.cacheDir, { recursive: true, mode: 0o700 });
      const pinned = await pinAddress(checked, this.options.addresses);
      return withEnvironment(checked, { ...this.options, pinned }, async (env) => {
        const options = { ...this.options, quota: this.quota };
        const session = new Session(checked, repository, env, options, signal, this.cacheOf(repository));
        this.quota.enter(repository);
        try {
          return await this.inside(session, checked, work).finally(() => session.close());
        } catch (thrown) {
          return await this.discardAfter(thrown, repository);
        } finally {
          this.quota.leave(repository);
        }
      });
    });
    return used.finally(() => this.removeSurplus());
  }

  private async removeSurplus(): Promise<void> {
    for (const repository of await this.quota.findSurplus()) {
      await this.inTurn(repository, async () => {
        if (!this.quota.isIdle(repository)) return;
        this.opened.delete(repository);
        this.quota.forget(repository);
        await rm(repository, { recursive: true, force: true });
      });
    }
  }

  private async inside<T>(session: Session, remote: CheckedRemote, work: (session: Session) => Promise<T>): Promise<T> {
    await this.open(session, remote);
    await tidy(session);
    return work(session);
  }

  private async open(session: Session, remote: CheckedRemote): Promise<void> {
    const { repository, cache } = session;
    const isOpen = this.opened.has(repository);
    if (isOpen && existsSync(join(repository, 'HEAD'))) return;
    await removeLocks(repository);
    await removeHalfPacks(repository);
    await mkdir(repository, { recursive: true, mode: 0o700 });
    const isThere =
      (await session.attempt('opening the copy', ['rev-parse', '--is-bare-repository'])).stdout.trim() === 'true';
    if (!isThere) {
      await rm(repository, { recursive: true, force: true });
      await mkdir(repository, { recursive: true, mode: 0o700 });
      await session.git('making a copy', ['init', '--quiet', '--bare', '--template=', repository]);
    }
    await session.git('naming the remote', ['config', 'remote.origin.url', remote.url]);
    cache.completeSince.clear();
    cache.found.clear();
    this.opened.set(repository, cache);
  }

  private cacheOf(repository: string): RepositoryCache {
    return this.opened.get(repository) ?? createRepositoryCache();
  }

  /** Removes a clone that git cannot read: the next use starts with a new one. */
  private async discardAfter(thrown: unknown, repository: string): Promise<never> {
    const code = thrown instanceof GitError ? thrown.code : undefined;
    // A killed git may have left locks: they are removed when the clone is opened again.
    if (code === undefined || code === 'git-timeout' || code === 'git-failed') this.opened.delete(repository);
    if (code === 'git-failed' || code === 'git-repository-too-large') {
      this.opened.delete(repository);
      await rm(repository, { recursive: true, force: true });
    } else await removeHalfPacks(repository);
    throw thrown;
  }

  private inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.queues.get(key) ?? Promise.resolve();
    const result = previous.then(work, work);
    const settled = result.catch(() => {});
    this.queues.set(key, settled);
    void settled.then(() => {
      if (this.queues.get(key) === settled) this.queues.delete(key);
    });
    return result;
  }
}

/** Every fetch adds a pack, and many packs slow down every look-up. */
const maxPacks = 50;

async function tidy(session: Session): Promise<void> {
  const names = await readdir(join(session.repository, 'objects', 'pack')).catch(() => []);
  if (names.filter((name) => name.endsWith('.pack')).length <= maxPacks) return;
  await session.git('tidying the copy', ['gc', '--quiet', '--prune=now']).catch((thrown) => {
    // A clone that cannot be repacked in time is treated as broken and removed.
    throw thrown instanceof GitError ? new GitError('git-failed', thrown.message, thrown) : thrown;
  });
}

/** Lock files of a killed process would block git forever. */
async function removeLocks(repository: string): Promise<void> {
  try {
    const names = await readdir(repository, { recursive: true });
    await Promise.all(
      names.filter((name) => name.endsWith('.lock')).map((name) => rm(join(repository, name), { force: true })),
    );
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
  }
}
