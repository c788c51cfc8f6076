export interface GitObject {
  readonly object: string;
  readonly type: string;
  readonly content: Buffer;
}

/** One response: the object, undefined when it does not exist, or `too-large` when it exceeds the limit. */
export type BatchResponse = GitObject | undefined | 'too-large';

interface Head {
  readonly object: string;
  readonly type: string;
  readonly size: number;
}

/** Parses the output of `git cat-file --batch`: a header line, and the object's bytes followed by a line break. */
export class BatchResponseParser {
  private chunks: Buffer[] = [];
  private length = 0;
  private head: Head | undefined;

  constructor(private readonly maxBytes: number) {}

  /** The responses that these bytes complete. */
  *take(chunk: Buffer): Generator<BatchResponse> {
    this.chunks.push(chunk);
    this.length += chunk.length;
    for (;;) {
      if (this.head === undefined) {
        const line = this.line();
        if (line === undefined) return;
        const found = /^([0-9a-f]+) (\w+) (\d+)$/.exec(line);
        if (!found) {
          yield undefined;
          continue;
        }
        this.head = { object: found[1]!, type: found[2]!, size: Number(found[3]) };
        if (this.head.size > this.maxBytes) {
          yield 'too-large';
          return;
        }
      }
      const { object, type, size } = this.head;
      if (this.length < size + 1) return;
      this.head = undefined;
      yield { object, type, content: this.bytes(size + 1).subarray(0, size) };
    }
  }

  private line(): string | undefined {
    const all = this.joined();
    const end = all.indexOf(0x0a);
    return end === -1 ? undefined : this.bytes(end + 1).toString('utf8', 0, end);
  }

  private bytes(count: number): Buffer {
    const all = this.joined();
    this.chunks = [all.subarray(count)];
    this.length = all.length - count;
    return all.subarray(0, count);
  }

  /** Joined only when something is complete: a large object arrives in many chunks. */
  private joined(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }
}
