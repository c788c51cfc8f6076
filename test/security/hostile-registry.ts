import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../support/certificate.ts';

export interface HostileServer {
  /** `127.0.0.1:port`. */
  readonly host: string;
  readonly url: string;
  /** What it was asked: method, path and the Authorization header. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
}

const running: Server[] = [];

/** A server on loopback that answers as the test says, and writes down which credentials it got. */
export async function startHostile(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<HostileServer> {
  const requests: HostileServer['requests'] = [];
  const listener: RequestListener = (request, response) => {
    requests.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization });
    answer(request, response);
  };
  const server = tls ? createTlsServer(createCertificate(), listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(server);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `${tls ? 'https' : 'http'}://${host}`, requests };
}

export async function stopHostile(): Promise<void> {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
