import { describe, expect, it } from 'vitest';
import { createKubeClient } from './client.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { collect, failureOf, pods, type Respond, sendStatus, startServer, until } from './testing/server.ts';

const event = (type: string, name: string, version: string, extra: object = {}) =>
  `${JSON.stringify({ type, object: { apiVersion: 'v1', kind: 'Pod', metadata: { name, resourceVersion: version }, ...extra } })}\n`;

async function setUp(respond: Respond, clock = new ManualClock()) {
  const server = await startServer(respond);
  const client = createKubeClient(server.config, { clock, random: () => 0.5 });
  return {
    server,
    client,
    clock,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const respondWith =
  (...writes: (string | Buffer)[]): Respond =>
  async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const write of writes) {
      response.write(write);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };

describe('watch', () => {
  it('yields events and bookmarks until the server closes', async () => {
    await using t = await setUp(
      respondWith(event('ADDED', 'a', '1'), event('BOOKMARK', '', '5') + event('DELETED', 'a', '6')),
    );
    const events = await collect(t.client.watch(pods, { resourceVersion: '1', namespace: 'shop' }));
    expect(events.map((e) => (e.type === 'BOOKMARK' ? e : [e.type, e.object.metadata.name]))).toEqual([
      ['ADDED', 'a'],
      { type: 'BOOKMARK', resourceVersion: '5' },
      ['DELETED', 'a'],
    ]);
    expect(String(t.server.requests[0]?.query)).toBe(
      'watch=true&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=450',
    );
  });

  it('joins characters and huge objects that arrive in pieces', async () => {
    const text = `${'ü€😀'.repeat(40_000)}`;
    const bytes = Buffer.from(event('ADDED', 'a', '1', { text }));
    const pieces = [0, 1, 2, 3].map((i) => bytes.subarray(i * 100_001, i === 3 ? undefined : (i + 1) * 100_001));
    await using t = await setUp(respondWith(...pieces));
    const [first] = await collect(t.client.watch(pods, { resourceVersion: '1' }));
    expect(first?.type === 'ADDED' && first.object['text']).toBe(text);
  });

  it('throws kube-gone for an ERROR event of 410 and for a 410 response', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
    await using inStream = await setUp(
      respondWith(event('ADDED', 'a', '1'), `${JSON.stringify({ type: 'ERROR', object: status })}\n`),
    );
    expect(await failureOf(collect(inStream.client.watch(pods, { resourceVersion: '1' })))).toMatchObject({
      code: 'kube-gone',
      status: 410,
      method: 'WATCH',
    });
    await using atOnce = await setUp((_, response) => sendStatus(response, 410, 'Expired'));
    expect(await failureOf(collect(atOnce.client.watch(pods, { resourceVersion: '1' })))).toMatchObject({
      code: 'kube-gone',
    });
  });

  it('throws for lines that are not events', async () => {
    for (const text of ['<html>\n', '{"type":"ADDED"}\n', '{"type":"NEW","object":{"metadata":{}}}\n', '[]\n']) {
      await using t = await setUp(respondWith(text));
      const failure = await failureOf(collect(t.client.watch(pods, { resourceVersion: '1' })));
      expect(failure).toMatchObject({ code: 'kube-bad-response', retry: 'backoff' });
    }
  });

  it('skips an event whose object does not parse, and advances past it', async () => {
    const deep = '['.repeat(20_000);
    const broken = `{"type":"ADDED","object":{"metadata":{"name":"bad","resourceVersion":"7"},"spec":${deep}}}\n`;
    await using t = await setUp(respondWith(`${event('ADDED', 'a', '6')}${broken}${event('ADDED', 'b', '8')}`));
    const events = await collect(t.client.watch(pods, { resourceVersion: '1' }));
    expect(events.map((one) => one.type)).toEqual(['ADDED', 'BOOKMARK', 'ADDED']);
    expect(events[1]).toEqual({ type: 'BOOKMARK', resourceVersion: '7' });
  });

  it('supports an object with the key __proto__ and 9,000 levels', async () => {
    const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;
    const odd = `{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"x","resourceVersion":"7"},"__proto__":${deep}}}\n`;
    await using t = await setUp(respondWith(odd));
    const [only] = await collect(t.client.watch(pods, { resourceVersion: '1' }));
    expect(only?.type === 'ADDED' && Object.keys(only.object)).toEqual(['kind', 'metadata', '__proto__']);
  });

  it('throws kube-unreachable when the connection breaks', async () => {
    await using t = await setUp((_, response) => {
      response.writeHead(200).write(event('ADDED', 'a', '1'), () => response.socket?.destroy());
    });
    const events = t.client.watch(pods, { resourceVersion: '1' });
    await events.next();
    expect(await failureOf(events.next())).toMatchObject({ code: 'kube-unreachable', retry: 'backoff' });
  });

  it('ends a stalled connection', async () => {
    let isClosed = false;
    await using t = await setUp((_, response) => {
      response.writeHead(200).write(event('ADDED', 'a', '1'));
      response.on('close', () => (isClosed = true));
    });
    const events = t.client.watch(pods, { resourceVersion: '1', stallMs: 60_000 });
    await events.next();
    const end = events.next();
    t.clock.advance(61_000);
    t.clock.advance(61_000);
    expect(await end).toEqual({ done: true, value: undefined });
    await until(() => isClosed, 'the server sees the connection closed');
    expect(t.clock.pending).toBe(0);
  });

  it('throws kube-timeout when not even the headers arrive', async () => {
    await using t = await setUp(() => {});
    const first = failureOf(t.client.watch(pods, { resourceVersion: '1' }).next());
    await until(() => t.server.requests.length === 1, 'the request');
    t.clock.advance(60_000);
    expect(await first).toMatchObject({ code: 'kube-timeout' });
  });

  it('closes the connection when the reader stops or its signal aborts', async () => {
    let closed = 0;
    await using t = await setUp((_, response) => {
      response.writeHead(200).write(event('ADDED', 'a', '1'));
      response.on('close', () => closed++);
    });
    for await (const _ of t.client.watch(pods, { resourceVersion: '1' })) break;
    await until(() => closed === 1, 'the first is closed');
    const controller = new AbortController();
    const events = t.client.watch(pods, { resourceVersion: '1', signal: controller.signal });
    await events.next();
    const next = failureOf(events.next());
    controller.abort();
    expect((await next).name).toBe('AbortError');
    await until(() => closed === 2, 'the second is closed');
  });
});
