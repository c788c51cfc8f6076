import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthority, issueCertificate, silentLogger, systemClock } from '../base/index.ts';
import { Cargo } from './cargo.ts';
import { createDashboardServer } from './server.ts';
import { createStreams } from './stream.ts';
import { seesAll } from './visibility.ts';

let folder: string;
let end: AbortController;
let running: Promise<void> | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supercargo-dashboard-'));
  end = new AbortController();
  running = undefined;
});
afterEach(async () => {
  end.abort();
  await running?.catch(() => undefined);
  await rm(folder, { recursive: true });
});

const files = () => ({ certificateFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') });
async function writePair(commonName: string): Promise<string> {
  const now = Date.now();
  const authority = createAuthority({ commonName, now, validDays: 2 });
  const { certPem, keyPem } = issueCertificate(authority, {
    commonName: '127.0.0.1',
    hosts: ['127.0.0.1'],
    usage: 'server',
    now,
    validDays: 2,
  });
  await writeFile(files().certificateFile, certPem);
  await writeFile(files().keyFile, keyPem);
  return authority.certPem;
}

/** A server that looks at its files when `look` is called. */
async function serve(tls: ReturnType<typeof files> | undefined, more: object = {}) {
  let look = () => {};
  const told: string[] = [];
  const clock = {
    ...systemClock,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        look = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const log = { ...silentLogger, info: (text: string) => told.push(text), error: (text: string) => told.push(text) };
  const streams = createStreams({ cargo: new Cargo(() => 1), clock: systemClock });
  const port = await new Promise<number>((resolve, reject) => {
    const server = createDashboardServer({
      host: '127.0.0.1',
      port: 0,
      hosts: undefined,
      trustedProxies: [],
      tls,
      authenticate: async (token) =>
        token === 'good' ? { user: 'ann', method: 'token', sees: seesAll, mayGet: async () => true } : undefined,
      api: (path) => ({ path }),
      streams,
      assets: new Map(),
      sessionOf: ({ user }) => ({ user }) as never,
      onListening: resolve,
      clock,
      log,
      ...more,
    });
    running = Promise.all([server.run(end.signal), streams.run(end.signal)]).then(() => undefined);
    running.catch(reject);
  });
  return { port, told, look: () => look() };
}

interface Answer {
  readonly status: number;
  readonly cookie: string;
  readonly issuer: string;
}

const ask = (port: number, ca: string, method = 'GET', body = '') =>
  new Promise<Answer>((resolve, reject) => {
    const headers = { authorization: 'Bearer good', 'content-type': 'application/json' };
    const asked = request(
      { port, host: '127.0.0.1', path: '/api/session', method, ca, headers, agent: false },
      (response) => {
        const issuer = (response.socket as TLSSocket).getPeerCertificate().issuer.CN;
        response.resume().on('end', () =>
          resolve({
            status: response.statusCode!,
            cookie: String(response.headers['set-cookie'] ?? ''),
            issuer: String(issuer),
          }),
        );
      },
    );
    asked.on('error', reject).end(body);
  });

describe('a server of the page with a certificate of its own', () => {
  it('answers over TLS, with cookies that other origins cannot set', async () => {
    const ca = await writePair('first');
    const { port } = await serve(files());
    expect(await ask(port, ca)).toMatchObject({ status: 200, issuer: 'first' });
    const { cookie } = await ask(port, ca, 'POST', JSON.stringify({ token: 'good' }));
    expect(cookie).toMatch(/^__Host-supercargo=.*; HttpOnly; SameSite=Strict; .*; Secure$/);
  });

  it('refuses old versions of TLS, and plain HTTP', async () => {
    const ca = await writePair('first');
    const { port } = await serve(files());
    const old = connect({ port, host: '127.0.0.1', ca, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' });
    await expect(new Promise((_, reject) => old.once('error', reject))).rejects.toThrow();
    const plain = new Promise((resolve, reject) =>
      plainRequest({ port, host: '127.0.0.1' }, resolve).once('error', reject).end(),
    );
    await expect(plain).rejects.toThrow();
    expect((await ask(port, ca)).status).toBe(200);
  });

  it('uses a new certificate for new connections, and keeps the last one while the files are wrong', async () => {
    const first = await writePair('first');
    const { port, told, look } = await serve(files());
    await writeFile(files().keyFile, 'half written');
    look();
    await expect.poll(() => told).toEqual(['the dashboard keeps its last certificate']);
    expect(await ask(port, first)).toMatchObject({ issuer: 'first' });
    const second = await writePair('second');
    look();
    await expect.poll(() => told.at(-1)).toBe('the certificate of the dashboard changed');
    expect(await ask(port, second)).toMatchObject({ status: 200, issuer: 'second' });
    await expect(ask(port, first)).rejects.toThrow();
  });

  it('does not start without a certificate that belongs to its key', async () => {
    await expect(serve(files())).rejects.toMatchObject({ code: 'dashboard-certificate' });
    await writePair('first');
    const { keyPem } = createAuthority({ commonName: 'other', now: Date.now(), validDays: 2 });
    await writeFile(files().keyFile, keyPem);
    await expect(serve(files())).rejects.toThrow(/no certificate with its key/);
  });
});

describe('slow clients of the page', () => {
  const reads = (port: number) =>
    fetch(`http://127.0.0.1:${port}/api/images`, { headers: { authorization: 'Bearer good' } });

  it('that send their log-in byte by byte keep nobody from reading, and are dropped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { port } = await serve(undefined);
      const head =
        'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
      const slow = Array.from({ length: 70 }, () => connectPlain(port, '127.0.0.1').on('error', () => {}));
      for (const socket of slow) socket.write(head);
      // All but those that have a place are told so.
      const told = slow.map((socket) => new Promise((resolve) => socket.once('data', resolve).once('close', resolve)));
      await Promise.race(told);
      expect((await reads(port)).status).toBe(200);
      let isOver = false;
      void Promise.all(told).then(() => {
        isOver = true;
      });
      await expect
        .poll(() => {
          vi.advanceTimersByTime(6_000);
          return isOver;
        })
        .toBe(true);
      expect((await reads(port)).status).toBe(200);
      for (const socket of slow) socket.destroy();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('many requests at once', () => {
  /** Answers wait until they are released. */
  async function serveSlowly(trustedProxies: readonly string[]) {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 0;
    const served = await serve(undefined, {
      trustedProxies,
      api: async (path: string) => {
        waiting++;
        await held;
        return { path };
      },
      authenticate: async (user: string) => ({ user, method: 'token', sees: seesAll, mayGet: async () => true }),
    });
    const ask = async (user: string, forwarded: string) => {
      const headers = { authorization: `Bearer ${user}`, 'x-forwarded-for': forwarded };
      const response = await fetch(`http://127.0.0.1:${served.port}/api/images`, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    /** `count` requests, and how many of them the server answers. */
    const flood = async (count: number, more: (index: number) => readonly [user: string, forwarded: string]) => {
      const before = waiting;
      const asked = Array.from({ length: count }, (_, index) => ask(...more(index)));
      let refused = 0;
      for (const one of asked) void one.then((status) => (refused += Number(status === 429)));
      await expect.poll(() => waiting - before + refused).toBe(count);
      return { taken: waiting - before, asked };
    };
    return { flood, release };
  }

  it('of one client leave places for others behind the same trusted proxy', async () => {
    const { flood, release } = await serveSlowly(['127.0.0.1']);
    const first = await flood(70, (index) => [`mallory-${index}`, '203.0.113.1']);
    expect(first.taken).toBe(64);
    const other = await flood(3, (index) => [`ann-${index}`, '203.0.113.2']);
    expect(other.taken).toBe(3);
    release();
    expect(await Promise.all(other.asked)).toEqual([200, 200, 200]);
    await Promise.all(first.asked);
  });

  it('are those of one client, whatever address it claims, where no proxy is trusted', async () => {
    const { flood, release } = await serveSlowly([]);
    const { taken, asked } = await flood(70, (index) => [`mallory-${index}`, `203.0.113.${index}`]);
    expect(taken).toBe(64);
    release();
    await Promise.all(asked);
  });

  it('of one user leave places for others, from however many addresses they come', async () => {
    const { flood, release } = await serveSlowly(['127.0.0.1']);
    const account = (index: number) => `system:serviceaccount:mallory:a-${index}`;
    const first = await flood(60, (index) => [account(index), `203.0.113.${index}`]);
    expect(first.taken).toBe(48);
    const other = await flood(2, () => ['ann', '203.0.113.1']);
    expect(other.taken).toBe(2);
    release();
    await Promise.all([...first.asked, ...other.asked]);
  });
});

describe('a stream of the page', () => {
  const opened = async (port: number, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/events`, { headers });
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    await reader.read();
    return { ended: async () => expect((await reader.read()).done).toBe(true), cancel: () => reader.cancel() };
  };

  it('ends when its user signs out, in whichever tab, and not that of another session', async () => {
    const { port } = await serve(undefined);
    const session = `http://127.0.0.1:${port}/api/session`;
    const signIn = async () => {
      const body = JSON.stringify({ token: 'good' });
      const response = await fetch(session, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return { cookie: response.headers.get('set-cookie')!.split(';', 1)[0]! };
    };
    const [one, other] = [await signIn(), await signIn()];
    const streams = [await opened(port, one), await opened(port, other)];
    await fetch(session, { method: 'DELETE', headers: one });
    await streams[0]!.ended();
    expect((await fetch(`http://127.0.0.1:${port}/api/events`, { headers: one })).status).toBe(401);
    const still = await opened(port, other);
    await Promise.all([streams[1]!.cancel(), still.cancel()]);
  });
});
