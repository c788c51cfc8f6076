import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from '../support/child.ts';

/**
 * What happens to one connection. Bytes are those of the server's answers, and TLS' own: the proxy sees no further.
 * `silent` stops passing anything in either direction and leaves the connection open, as a lost route does.
 */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'cut' | 'half-close' | 'silent'; readonly afterBytes: number }
  | { readonly kind: 'delay'; readonly ms: number };

export interface TcpProxy {
  readonly port: number;
  /** How often each fault came to pass. */
  readonly done: ReadonlyMap<Fault['kind'], number>;
  /** Cuts every connection there is now. */
  cutAll(): void;
  /** Stops data on every existing and new connection until it is resumed. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

/** Passes bytes to a port of this machine; `choose` says what each new connection suffers. */
export async function startTcpProxy(upstreamPort: number, choose: () => Fault): Promise<TcpProxy> {
  const done = new Map<Fault['kind'], number>();
  const links = new Set<Link>();
  let isSilent = false;
  const server = createServer((socket) => {
    const fault = choose();
    const note = () => done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1);
    if (fault.kind === 'refuse') {
      note();
      socket.destroy();
      return;
    }
    const link = new Link(socket, connect(upstreamPort, '127.0.0.1'), fault, note);
    if (isSilent) link.goSilent();
    links.add(link);
    socket.once('close', () => links.delete(link));
  });
  const [port] = (await freePorts(1)) as [number];
  await listen(server, port);
  return {
    port,
    done,
    cutAll: () => {
      for (const link of links) link.destroy();
    },
    silence(wanted) {
      isSilent = wanted;
      if (wanted) for (const link of links) link.goSilent();
    },
    async close() {
      for (const link of links) link.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

class Link {
  private passed = 0;
  private isSilent = false;
  private pending = Promise.resolve();

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    private readonly fault: Fault,
    private readonly note: () => void,
  ) {
    // Either end may break at any time; the other then breaks too.
    client.on('error', () => this.destroy());
    upstream.on('error', () => this.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      if (!this.isSilent) void this.pending.then(() => client.destroy());
    });
    client.on('data', (chunk) => {
      if (!this.isSilent) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => this.answer(chunk));
  }

  goSilent(): void {
    this.isSilent = true;
  }

  destroy(): void {
    this.client.destroy();
    this.upstream.destroy();
  }

  private answer(chunk: Buffer): void {
    if (this.isSilent || this.client.destroyed) return;
    const { fault } = this;
    if (fault.kind === 'delay') {
      this.note();
      this.pending = this.pending.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, fault.ms));
        if (!this.isSilent && !this.client.destroyed) this.client.write(chunk);
      });
      return;
    }
    if (!('afterBytes' in fault) || this.passed + chunk.length <= fault.afterBytes) {
      this.passed += chunk.length;
      this.client.write(chunk);
      return;
    }
    this.note();
    this.client.write(chunk.subarray(0, fault.afterBytes - this.passed), () => {
      if (fault.kind === 'cut') this.client.resetAndDestroy();
      else if (fault.kind === 'half-close') this.client.end();
    });
    this.isSilent = true;
  }
}
