import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { createHasher, type Digest, digestAlgorithm, type Hasher } from '../../image/index.ts';

/** An upload session: bytes are appended until the client closes it with a digest. */
export interface Upload {
  readonly id: string;
  readonly repository: string;
  readonly file: string;
  readonly offset: number;
  /** Work on one upload is serialised: a client that lost its connection returns before the server notices the loss. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Appends the received bytes; those that arrived before a failure are kept. */
  append(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<'done' | 'too-large'>;
  digest(like: Digest): Promise<Digest>;
}

interface UploadOptions {
  readonly folder: string;
  readonly maxUploads: number;
  readonly idleMs: number;
  readonly clock: Clock;
}

/** The upload sessions. They live as long as the process; idle ones are removed. */
export class Uploads {
  private readonly uploads = new Map<string, FileUpload>();

  constructor(private readonly options: UploadOptions) {}

  /** Undefined when there are too many sessions. */
  async start(repository: string): Promise<Upload | undefined> {
    await this.forgetIdle();
    if (this.uploads.size >= this.options.maxUploads) return undefined;
    const id = randomUUID();
    const upload = new FileUpload(id, repository, join(this.options.folder, id), this.options.clock);
    this.uploads.set(id, upload);
    return upload;
  }

  get(repository: string, id: string): Upload | undefined {
    const upload = this.uploads.get(id);
    return upload?.repository === repository ? upload : undefined;
  }

  /** Closes the file; the caller moves it away. */
  async finish(upload: Upload): Promise<void> {
    const known = this.uploads.get(upload.id);
    this.uploads.delete(upload.id);
    await known?.close();
  }

  async cancel(upload: Upload): Promise<void> {
    await this.finish(upload);
    await rm(upload.file, { force: true });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.uploads.values()].map((upload) => this.cancel(upload)));
  }

  private async forgetIdle(): Promise<void> {
    const oldest = this.options.clock.now() - this.options.idleMs;
    const idle = [...this.uploads.values()].filter((upload) => !upload.isBusy && upload.usedAt < oldest);
    await Promise.all(idle.map((upload) => this.cancel(upload)));
  }
}

class FileUpload implements Upload {
  offset = 0;
  usedAt: number;
  isBusy = false;
  private readonly hasher: Hasher = createHasher();
  private handle: FileHandle | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly id: string,
    readonly repository: string,
    readonly file: string,
    private readonly clock: Clock,
  ) {
    this.usedAt = clock.now();
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  async append(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<'done' | 'too-large'> {
    this.handle ??= await open(this.file, 'w');
    this.isBusy = true;
    try {
      for await (const piece of pieces) {
        if (this.offset + piece.length > maxBytes) return 'too-large';
        // Hash and disk write run in parallel on the same bytes.
        const written = this.handle.write(piece, 0, piece.length, this.offset);
        this.hasher.update(piece);
        const { bytesWritten } = await written;
        if (bytesWritten !== piece.length) throw new Error('the disk took only part of a write');
        this.offset += piece.length;
      }
      return 'done';
    } finally {
      this.isBusy = false;
      this.usedAt = this.clock.now();
    }
  }

  async digest(like: Digest): Promise<Digest> {
    this.handle ??= await open(this.file, 'w');
    const algorithm = digestAlgorithm(like);
    if (algorithm === 'sha256') return this.hasher.digest();
    const hasher = createHasher(algorithm);
    for await (const piece of createReadStream(this.file)) hasher.update(piece as Buffer);
    return hasher.digest();
  }

  async close(): Promise<void> {
    await this.handle?.close();
    this.handle = undefined;
  }
}
