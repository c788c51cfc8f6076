import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, SupercargoError } from '../../base/index.ts';
import { BlobFiles } from './blob-files.ts';
import { Catalog, type Change, changeOf } from './catalog.ts';
import { type Journal, openJournal, readJournal, rewriteJournal } from './journal.ts';
import { Uploads } from './uploads.ts';

interface StoreOptions {
  readonly folder: string;
  readonly maxUploads: number;
  readonly uploadIdleMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** All data of the registry. A change is written to the journal before it is applied in memory. */
export class Store {
  private constructor(
    readonly blobs: BlobFiles,
    readonly catalog: Catalog,
    readonly uploads: Uploads,
    private readonly journal: Journal,
  ) {}

  static async open({ folder, maxUploads, uploadIdleMs, clock, log }: StoreOptions): Promise<Store> {
    const scratch = join(folder, 'uploads');
    // Uploads do not survive a restart: their hash states are in memory.
    await rm(scratch, { recursive: true, force: true });
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const file = join(folder, 'journal');
    const records = await readJournal(file);
    const catalog = new Catalog();
    for (const [i, record] of records.entries()) {
      const change = changeOf(record);
      if (change === undefined)
        throw new SupercargoError(
          'registry-journal-damaged',
          `${file}: line ${i + 1} is not understood; remove the registry's folder to start afresh`,
        );
      catalog.apply(change);
    }
    const live = [...catalog.changes()];
    if (records.length > 1000 && records.length > 2 * live.length) {
      await rewriteJournal(file, live);
      log.debug('registry journal rewritten', { before: records.length, after: live.length });
    }
    const uploads = new Uploads({ folder: scratch, maxUploads, idleMs: uploadIdleMs, clock });
    return new Store(new BlobFiles(join(folder, 'blobs'), scratch), catalog, uploads, await openJournal(file));
  }

  async change(...changes: readonly Change[]): Promise<void> {
    // Appended together, so that they reach the file in this order and in one write.
    await Promise.all(changes.map((change) => this.journal.append({ ...change })));
    for (const change of changes) this.catalog.apply(change);
  }

  async close(): Promise<void> {
    await this.uploads.stop();
    await this.journal.close();
  }
}
