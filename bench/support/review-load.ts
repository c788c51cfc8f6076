import { connect, type TLSSocket } from 'node:tls';

/** Kyverno's answers repeat the request, and come in chunks. */
const [chunkEnd, lastChunk] = [/\r\n[0-9a-f]+\r\n/g, '\r\n0\r\n\r\n'];

export interface ReviewLoadOptions {
  readonly port: number;
  readonly ca: string;
  readonly path: string;
  readonly body: Buffer;
  readonly connections: number;
}

/** Connections that send one review each at a time, with as little work as a client can do. */
export class ReviewLoad {
  private readonly idle: Lane[] = [];

  private constructor(private readonly lanes: readonly Lane[]) {
    this.idle.push(...lanes);
  }

  static async open({ port, ca, path, body, connections }: ReviewLoadOptions): Promise<ReviewLoad> {
    const head = `POST ${path}?timeout=10s HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const request = Buffer.concat([Buffer.from(head), body]);
    const lanes = await Promise.all(
      Array.from({ length: connections }, async () => {
        const socket = connect({ port, host: '127.0.0.1', ca });
        await new Promise<void>((resolve, reject) => {
          socket.once('secureConnect', resolve);
          socket.once('error', reject);
        });
        return new Lane(socket, request);
      }),
    );
    return new ReviewLoad(lanes);
  }

  /** As many as the server answers, for so long. */
  async flood(durationMs: number): Promise<number> {
    const end = performance.now() + durationMs;
    const counts = await Promise.all(
      this.lanes.map(async (lane) => {
        let count = 0;
        for (; performance.now() < end; count++) await lane.ask();
        return count;
      }),
    );
    return counts.reduce((a, b) => a + b, 0);
  }

  /** So many a second whether or not the server keeps up: how long each took from the moment it was due, in ms. */
  async pace(perSecond: number, durationMs: number): Promise<readonly number[]> {
    const start = performance.now();
    const total = Math.round((perSecond * durationMs) / 1000);
    const took: number[] = [];
    const due: number[] = [];
    let asked = 0;
    return new Promise((resolve) => {
      const ask = () => {
        while (due.length > 0 && this.idle.length > 0) {
          const lane = this.idle.pop()!;
          const dueAt = due.shift()!;
          void lane.ask().then(() => {
            took.push(performance.now() - dueAt);
            this.idle.push(lane);
            if (took.length === total) resolve(took);
            else if (due.length > 0) ask();
          });
        }
      };
      const tick = () => {
        const elapsed = performance.now() - start;
        for (; asked < total && asked < (elapsed * perSecond) / 1000; asked++)
          due.push(start + (asked * 1000) / perSecond);
        ask();
        if (asked < total) setTimeout(tick, 1);
      };
      tick();
    });
  }

  close(): void {
    for (const lane of this.lanes) lane.close();
  }
}

class Lane {
  private resolve: () => void = () => {};
  private received = '';

  constructor(
    private readonly socket: TLSSocket,
    private readonly request: Buffer,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.read(chunk.toString('latin1')));
  }

  ask(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.socket.write(this.request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(text: string): void {
    this.received += text;
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = /content-length: (\d+)/i.exec(this.received)?.[1];
    if (length === undefined ? !this.received.endsWith(lastChunk) : this.received.length < end + 4 + Number(length))
      return;
    const body = length === undefined ? this.received.replaceAll(chunkEnd, '') : this.received;
    if (!body.startsWith('HTTP/1.1 200') || !body.includes('"allowed":true')) throw new Error(`not admitted: ${body}`);
    this.received = '';
    this.resolve();
  }
}
