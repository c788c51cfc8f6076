import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '../../base/index.ts';
import { type Digest, digestAlgorithm, digestHex, isDigest } from '../../image/index.ts';

const readPieceBytes = 256 * 1024;

/** Blobs by digest, one file each. A file is moved into place when it is complete. */
export class BlobFiles {
  private counter = 0;

  constructor(
    private readonly folder: string,
    private readonly scratch: string,
  ) {}

  async size(digest: Digest): Promise<number | undefined> {
    try {
      return (await stat(this.path(digest))).size;
    } catch (thrown) {
      if (errorCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  /** Both ends are inclusive, as in HTTP. */
  stream(digest: Digest, start: number, end: number): Readable {
    return createReadStream(this.path(digest), { start, end, highWaterMark: readPieceBytes });
  }

  read(digest: Digest): Promise<Buffer> {
    return readFile(this.path(digest));
  }

  /** Takes over a file that holds exactly these bytes. */
  async adopt(file: string, digest: Digest): Promise<void> {
    const path = this.path(digest);
    await mkdir(dirname(path), { recursive: true });
    await rename(file, path);
  }

  async write(digest: Digest, bytes: Uint8Array): Promise<void> {
    if ((await this.size(digest)) === bytes.length) return;
    const file = join(this.scratch, `bytes-${++this.counter}`);
    await writeFile(file, bytes);
    await this.adopt(file, digest);
  }

  async remove(digest: Digest): Promise<void> {
    await rm(this.path(digest), { force: true });
  }

  /** All blobs, with size and time of arrival. */
  async *all(): AsyncGenerator<{ readonly digest: Digest; readonly size: number; readonly modifiedMs: number }> {
    const names = await readdir(this.folder, { recursive: true }).catch((thrown) => {
      if (errorCode(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    for (const name of names) {
      const [algorithm, , hex] = name.split('/');
      const digest = `${algorithm}:${hex}`;
      if (!isDigest(digest)) continue;
      const { size, mtimeMs } = await stat(join(this.folder, name));
      yield { digest, size, modifiedMs: mtimeMs };
    }
  }

  private path(digest: Digest): string {
    const hex = digestHex(digest);
    return join(this.folder, digestAlgorithm(digest), hex.slice(0, 2), hex);
  }
}
