import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '../base/index.ts';

const plainResponse = [
  'HTTP/1.0 400 Bad Request',
  'content-type: text/plain; charset=utf-8',
  'connection: close',
  '',
  'this is an HTTPS server, and the request was sent without TLS\n',
].join('\r\n');

/**
 * Answers plain HTTP requests with an error in plain HTTP. When TLS fails, its socket is already destroyed, so the
 * underlying sockets are kept.
 */
export function answerPlainHttp(server: Server, onRejected: (reason: 'plain-http' | 'tls') => void): void {
  const sockets = new Map<string, Socket>();
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    sockets.set(key, socket);
    socket.once('close', () => sockets.delete(key));
  });
  server.on('secureConnection', (socket: TLSSocket) => sockets.delete(keyOf(socket)));
  server.on('tlsClientError', (thrown: Error, socket: TLSSocket) => {
    const isPlain = errorCode(thrown) === 'ERR_SSL_HTTP_REQUEST';
    onRejected(isPlain ? 'plain-http' : 'tls');
    const underlying = sockets.get(keyOf(socket));
    if (isPlain && underlying?.writable) underlying.end(plainResponse);
    else socket.destroy();
  });
}
