import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { onAbort } from '../../base/index.ts';
import { PieceRing } from './piece-ring.ts';

export interface BulkTarget {
  readonly url: URL;
  readonly secureContext: () => SecureContext | undefined;
  readonly rejectUnauthorized: boolean;
  readonly connectTimeoutMs: number;
  /** How long a reader waits for data. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Resolves the host to allowed addresses. */
  readonly lookup?: LookupFunction | undefined;
}

const slots = 3;
const slotBytes = 512 * 1024;
const minRoom = 64 * 1024;

/** A connection for one large body. Reads into a fixed set of buffers and writes without a queue. */
export class BulkSocket {
  private readonly ring = new PieceRing(slots, slotBytes, minRoom);
  private readonly socket: Socket;
  private wake: (() => void) | undefined;
  private hasEnded = false;
  private failure: Error | undefined;

  private constructor(private readonly target: BulkTarget) {
    const { url } = target;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    this.socket = url.protocol === 'https:' ? this.openTls(host, port) : this.openPlain(host, port);
    this.socket.setNoDelay(true);
    this.socket.on('end', () => this.end());
    this.socket.on('close', () => this.end());
    this.socket.on('error', (error) => this.fail(error));
  }

  static async open(target: BulkTarget): Promise<BulkSocket> {
    target.signal?.throwIfAborted();
    const bulk = new BulkSocket(target);
    const { socket } = bulk;
    const ready = target.url.protocol === 'https:' ? 'secureConnect' : 'connect';
    const timer = setTimeout(() => socket.destroy(timeout('connecting')), target.connectTimeoutMs);
    socket.once(
      'close',
      onAbort(target.signal, () => socket.destroy()),
    );
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once(ready, resolve);
        socket.once('error', reject);
        socket.once('close', () => reject(connectionClosed()));
      });
    } finally {
      clearTimeout(timer);
    }
    return bulk;
  }

  private openPlain(host: string, port: number): Socket {
    // Read into our own buffers: otherwise Node allocates a buffer for every 64 KiB, which costs garbage collection.
    const onread = {
      buffer: () => this.ring.room(),
      callback: (bytes: number) => {
        this.ring.filled(bytes);
        this.wake?.();
        return !this.ring.isFull;
      },
    };
    return connectPlain({ host, port, onread, ...this.resolver() });
  }

  private resolver(): { readonly lookup?: LookupFunction } {
    const { lookup } = this.target;
    return lookup === undefined ? {} : { lookup };
  }

  private openTls(host: string, port: number): Socket {
    const { rejectUnauthorized } = this.target;
    const secureContext = this.target.secureContext();
    const socket = connectTls({
      host,
      port,
      rejectUnauthorized,
      ...this.resolver(),
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    socket.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; ) {
        // Put back what does not fit into the ring; the socket is paused until there is room.
        if (this.ring.isFull) {
          socket.pause();
          socket.unshift(bytes.subarray(at));
          break;
        }
        const copied = bytes.copy(this.ring.room(), 0, at);
        this.ring.filled(copied);
        at += copied;
      }
      if (this.ring.isFull) socket.pause();
      this.wake?.();
    });
    return socket;
  }

  /** The next bytes, valid until the next call; undefined at the end. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const wasFull = this.ring.isFull;
      const piece = this.ring.take();
      if (wasFull && !this.ring.isFull) this.socket.resume();
      if (piece !== undefined) return piece;
      if (this.failure !== undefined) throw this.failure;
      if (this.hasEnded) return undefined;
      await this.more();
    }
  }

  /** Resolves when the system has taken the bytes; the buffer may be reused only then. */
  write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      if (this.socket.destroyed) return reject(connectionClosed());
      this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  destroy(): void {
    this.socket.destroy();
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      const { idleTimeoutMs } = this.target;
      const timer =
        idleTimeoutMs > 0 ? setTimeout(() => this.socket.destroy(timeout('reading')), idleTimeoutMs) : undefined;
      this.wake = () => {
        this.wake = undefined;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private end(): void {
    this.hasEnded = true;
    this.wake?.();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.wake?.();
  }
}

const timeout = (what: string) => Object.assign(new Error(`no data while ${what}`), { code: 'ETIMEDOUT' });
export const connectionClosed = () => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
