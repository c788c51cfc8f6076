import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createConnections } from './connections.ts';
import type { ProxySettings } from './proxy.ts';

const started: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0).reverse()) await stop();
});

async function listen(listener: RequestListener): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  started.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function open(proxy: ProxySettings = {}, idleTimeoutMs = 5000) {
  const connections = createConnections({
    proxy,
    connectTimeoutMs: 5000,
    idleTimeoutMs,
    systemCa: () => [],
    addresses: { allowLoopback: true },
  });
  started.push(() => connections.close());
  return async (url: string, signal?: AbortSignal) => {
    const response = await connections.send({
      method: 'GET',
      url: new URL(url),
      headers: { accept: 'text/plain' },
      signal,
      tls: {},
      isBulk: false,
    });
    return response;
  };
}

async function text(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

describe('connections', () => {
  it('are reused, whether a response was read or discarded', async () => {
    const { server, port } = await listen((request, response) => response.end(`${request.method} ${request.url}`));
    let opened = 0;
    server.on('connection', () => opened++);
    const send = open();
    expect(await text((await send(`http://127.0.0.1:${port}/a?b=c`)).body)).toBe('GET /a?b=c');
    await (await send(`http://127.0.0.1:${port}/d`)).body.dump();
    expect((await send(`http://127.0.0.1:${port}/e`)).status).toBe(200);
    expect(opened).toBe(1);
  });

  it('time out on a silent server, before the head or in the body', async () => {
    const { port } = await listen((request, response) => {
      if (request.url === '/body') response.write('the start');
    });
    const send = open({}, 100);
    await expect(send(`http://127.0.0.1:${port}/head`)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const { body } = await send(`http://127.0.0.1:${port}/body`);
    await expect(text(body)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('report a truncated response and an aborted request', async () => {
    const { port } = await listen((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      if (request.url === '/cut') setTimeout(() => response.destroy(), 20);
    });
    const send = open();
    await expect(text((await send(`http://127.0.0.1:${port}/cut`)).body)).rejects.toMatchObject({ code: 'ECONNRESET' });
    const aborter = new AbortController();
    const { body } = await send(`http://127.0.0.1:${port}/slow`, aborter.signal);
    aborter.abort(new DOMException('no longer wanted', 'AbortError'));
    await expect(text(body)).rejects.toThrow('no longer wanted');
  });

  it('go through a proxy with its user and password', async () => {
    const { port: registryPort } = await listen((request, response) => response.end(`for ${request.headers.host}`));
    const seen: string[] = [];
    const { server: proxy, port } = await listen((_, response) => response.writeHead(405).end());
    proxy.on('connect', (request, socket) => {
      seen.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const upstream = connect(registryPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    const send = open({ httpProxy: `http://alice:s%40fe@127.0.0.1:${port}` });
    expect(await text((await send('http://registry.example/v2/')).body)).toBe('for registry.example');
    expect(seen).toEqual([`registry.example:80 Basic ${Buffer.from('alice:s@fe').toString('base64')}`]);
  });
});
