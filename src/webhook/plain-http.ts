import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '../base/index.ts';

const answer = [
  'HTTP/1.0 400 Bad Request',
  'content-type: text/plain; charset=utf-8',
  'connection: close',
  '',
  'this is an HTTPS server, and the request came without TLS\n',
].join('\r\n');

/**
 * Says so in plain HTTP to who forgot the `s` of https. By the time TLS has failed its own socket is gone, so the one
 * below it is kept at hand.
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
    const below = sockets.get(keyOf(socket));
    if (isPlain && below?.writable) below.end(answer);
    else socket.destroy();
  });
}
