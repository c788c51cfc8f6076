import { Agent, request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookServerOptions } from '../../src/webhook/server.ts';
import { reviewOf, type Serving, serve } from '../../src/webhook/testing/serving.ts';
import { eventually } from '../support/wait.ts';

/** Where the floods come from; the API server is 127.0.0.1. */
const localAddress = '127.0.0.2';
let serving: Serving | undefined;
let agent: Agent | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  agent?.destroy();
  await serving?.stop();
  serving = undefined;
});

async function start(options: Partial<WebhookServerOptions> = {}): Promise<Serving> {
  serving = await serve([{ path: 'validate', review: () => ({}) }], options);
  agent = new Agent({ keepAlive: true, maxSockets: 8, ca: serving.authority.certPem });
  return serving;
}

interface Answered {
  readonly status: number;
  readonly reused: boolean;
  readonly ms: number;
}

/** A review as the API server sends it: on a connection of its pool, or a new one. */
function review(pool = agent!): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const body = reviewOf({});
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { host: '127.0.0.1', port: serving!.port, path: '/validate', method: 'POST', headers, agent: pool },
      (response) => {
        response.resume();
        response.on('end', () =>
          resolve({ status: response.statusCode!, reused: sent.reusedSocket, ms: performance.now() - startedMs }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function newConnection(): Promise<Answered> {
  const fresh = new Agent({ ca: serving!.authority.certPem });
  try {
    return await review(fresh);
  } finally {
    fresh.destroy();
  }
}

const keep = <T extends Socket>(socket: T): T => {
  sockets.push(socket);
  socket.on('error', () => {});
  return socket;
};
const tcp = () => keep(connectTcp({ host: '127.0.0.1', port: serving!.port, localAddress }));
const tls = () =>
  keep(connectTls({ host: '127.0.0.1', port: serving!.port, ca: serving!.authority.certPem, localAddress } as never));
const opened = (socket: Socket, event = 'connect') =>
  new Promise<void>((resolve) => {
    socket.once(event, () => resolve());
    socket.once('close', () => resolve());
  });

async function othersSucceed(): Promise<void> {
  for (let round = 0; round < 20; round++) {
    expect(await review()).toMatchObject({ status: 200, reused: true });
    expect(await newConnection()).toMatchObject({ status: 200 });
  }
}

describe('a flood of connections', () => {
  it('of 1,100 idle TCP connections closes its own, and no connection or review of the API server', async () => {
    await start();
    await review();
    const flood = Array.from({ length: 1_100 }, tcp);
    await Promise.all(flood.map((socket) => opened(socket)));
    await othersSucceed();
    await eventually(() => expect(flood.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(1_100 - 768));
  });

  it('from several addresses that have sent forged reviews gives way to the API server', async () => {
    await start({ maxConnections: 12, maxConnectionsPerPeer: 6 });
    await review();
    const forge = async (address: string) => {
      const socket = keep(
        connectTls({
          host: '127.0.0.1',
          port: serving!.port,
          rejectUnauthorized: false,
          localAddress: address,
        } as never),
      );
      await opened(socket, 'secureConnect');
      const body = reviewOf({});
      const head = `POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
      const answered = opened(socket, 'data');
      socket.write(`${head}\r\n\r\n${body}`);
      await answered;
    };
    for (let count = 0; count < 8; count++) for (const address of ['127.0.0.2', '127.0.0.3']) await forge(address);
    await othersSucceed();
  });

  it('that never finishes the TLS handshake, or sends headers byte by byte, ends by time-out', async () => {
    await start({ handshakeTimeoutMs: 300, headersTimeoutMs: 300, requestTimeoutMs: 600 });
    const silent = Array.from({ length: 30 }, tcp);
    const slow = Array.from({ length: 30 }, tls);
    await Promise.all(slow.map((socket) => opened(socket, 'secureConnect')));
    for (const socket of slow) socket.write('POST /validate HTTP/1.1\r\nhost: a\r\nx-');
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('a');
    }, 50);
    const idle = Array.from({ length: 10 }, tls);
    for (const socket of [...silent, ...slow, ...idle]) socket.resume();
    await review();
    await eventually(() => expect([...silent, ...slow, ...idle].filter((socket) => !socket.closed)).toEqual([]), {
      timeoutMs: 20_000,
    });
    clearInterval(drip);
    // Its first review delivered, a connection may be idle for longer than that.
    expect(await review()).toMatchObject({ status: 200, reused: true });
  });
});

describe('half-sent bodies', () => {
  it('are given up when all together are too large, and small reviews get through', async () => {
    await start({ maxReadingBytes: 8 << 20 });
    await review();
    const length = 16 << 20;
    const part = Buffer.alloc(1 << 20, 'a');
    const answers: string[] = [];
    await Promise.all(
      Array.from({ length: 80 }, async () => {
        const socket = tls();
        await opened(socket, 'secureConnect');
        socket.on('data', (chunk) => answers.push(String(chunk).slice(0, 12)));
        const head = `POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}`;
        socket.write(`${head}\r\n\r\n`);
        socket.write(part);
      }),
    );
    await othersSucceed();
    // 8 MiB of 80 may stay; all others have their answer.
    await eventually(() => expect(answers.length).toBeGreaterThanOrEqual(72), { timeoutMs: 20_000 });
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503']));
    await othersSucceed();
  });

  it('are given up when they take too long', async () => {
    await start({ headersTimeoutMs: 200, requestTimeoutMs: 300 });
    const socket = tls();
    await opened(socket, 'secureConnect');
    socket.resume();
    socket.write(
      'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    );
    await eventually(() => expect(socket.closed).toBe(true), { timeoutMs: 20_000 });
    await review();
  });
});

describe('under a flood of connections and handshakes', () => {
  it('no review of others fails', async () => {
    await start();
    const measure = async () => {
      const taken: number[] = [];
      for (let count = 0; count < 200; count++) {
        const { status, ms } = await review();
        expect(status).toBe(200);
        taken.push(ms);
      }
      return taken.sort((a, b) => a - b)[197]!;
    };
    await measure();
    const quietMs = await measure();
    let isOver = false;
    let count = 0;
    const flood = (async () => {
      while (!isOver && count < 3_000) {
        const socket = count++ % 5 === 0 ? tls() : tcp();
        await opened(socket);
      }
    })();
    const floodedMs = await measure();
    isOver = true;
    await flood;
    console.info(
      `p99 of 200 reviews: quiet ${quietMs.toFixed(1)} ms, during ${count} new connections ${floodedMs.toFixed(1)} ms`,
    );
  });
});
