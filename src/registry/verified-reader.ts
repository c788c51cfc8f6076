import { createHasher, type Digest, digestAlgorithm, type Hasher } from '../image/index.ts';
import { mismatch } from './manifests.ts';

/**
 * Reads the bytes of a blob for an upload: in order, in parts, and again from an earlier offset when the target lost
 * some. Every byte is hashed once. The last piece is returned only when the digest of the whole matches.
 */
export class VerifiedReader {
  /** The source's error. An upload that fails because of it must not be blamed on the target. */
  failure: unknown;
  failedVerifications = 0;
  private hasher: Hasher;
  private iterator: AsyncIterator<Uint8Array> | undefined;
  private position = 0;
  private left: Uint8Array | undefined;

  constructor(
    private readonly blob: {
      readonly registry: string;
      /** Names the source of the bytes in messages. */
      readonly from: string;
      readonly digest: Digest;
      readonly size: number;
      readonly read: (offset: number) => AsyncIterable<Uint8Array>;
    },
  ) {
    this.hasher = createHasher(digestAlgorithm(blob.digest));
  }

  get hashedBytes(): number {
    return this.hasher.size;
  }

  /** Restarts the hash after wrong bytes. */
  forget(): void {
    this.hasher = createHasher(digestAlgorithm(this.blob.digest));
    this.failure = undefined;
  }

  async *pieces(start: number, end: number, onProgress?: (sentBytes: number) => void): AsyncGenerator<Uint8Array> {
    try {
      if (this.iterator === undefined || this.position !== start) await this.seek(start);
      while (this.position < end) {
        const piece = await this.next();
        const wanted = Math.min(piece.length, end - this.position);
        this.left = wanted < piece.length ? piece.subarray(wanted) : undefined;
        const given = wanted < piece.length ? piece.subarray(0, wanted) : piece;
        this.check(given);
        this.position += given.length;
        yield given;
        onProgress?.(this.position);
      }
      if (this.blob.size === 0) this.check(new Uint8Array());
    } catch (thrown) {
      this.failure ??= thrown;
      await this.close();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    const { iterator } = this;
    this.iterator = undefined;
    this.left = undefined;
    await iterator?.return?.();
  }

  private async seek(start: number): Promise<void> {
    await this.close();
    this.position = start;
    this.iterator = this.blob.size === 0 ? undefined : this.blob.read(start)[Symbol.asyncIterator]();
  }

  private async next(): Promise<Uint8Array> {
    if (this.left !== undefined) return this.left;
    const { done, value } = await this.iterator!.next();
    if (done) throw new Error(`the source ended after ${this.position} of ${this.blob.size} bytes`);
    return value;
  }

  private check(piece: Uint8Array): void {
    const { digest, size, from, registry } = this.blob;
    const known = this.hasher.size - this.position;
    if (known < piece.length) this.hasher.update(known === 0 ? piece : piece.subarray(known));
    if (this.position + piece.length < size) return;
    const actual = this.hasher.digest();
    if (actual === digest) return;
    this.failedVerifications++;
    throw mismatch({ registry, method: 'GET', url: from }, digest, actual);
  }
}
