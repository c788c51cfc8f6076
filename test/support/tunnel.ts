import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback that leads every host to one port of this machine: a name of the Internet, answered here. */
export interface Tunnel {
  readonly url: string;
  /** `host:port` of every connection that was asked for. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startTunnel(port: number): Promise<Tunnel> {
  const asked: string[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const upstream: Socket = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
