import { describe, expect, it } from 'vitest';
import { createRecordingLogger } from '../../test/support/recording-logger.ts';
import type { KubeObject } from '../object/index.ts';
import { createKubeClient, type KubeClientOptions } from './client.ts';
import { type CredentialSource, staticCredentials } from './credentials.ts';
import type { KubeError } from './errors.ts';
import { ManualClock } from './testing/manual-clock.ts';
import {
  collect,
  deployments,
  failureOf,
  nodes,
  pods,
  type Respond,
  sendJson,
  sendStatus,
  startServer,
  until,
} from './testing/server.ts';

const pod = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop' } });

async function setUp(respond: Respond, options: KubeClientOptions = {}, credentials?: CredentialSource) {
  const server = await startServer(respond);
  const client = createKubeClient({ ...server.config, ...(credentials ? { credentials } : {}) }, options);
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const echo: Respond = (request, response) => sendJson(response, request.body ? JSON.parse(request.body) : pod('web'));

describe('verbs', () => {
  it('does not follow a redirect and does not accept it as a response', async () => {
    await using t = await setUp((_, response) => {
      response.writeHead(302, {
        location: '/api/v1/namespaces/kube-system/secrets/x',
        'content-type': 'application/json',
      });
      response.end('{"kind":"Secret"}');
    });
    await expect(t.client.raw('/api/v1/namespaces/shop/pods')).rejects.toMatchObject({ status: 302 });
    expect(t.server.requests).toHaveLength(1);
  });

  it('sends each verb to its path with its query, content type and body', async () => {
    await using t = await setUp(echo, { fieldManager: 'tester' });
    const key = { name: 'web', namespace: 'shop' };
    await t.client.get(pods, key);
    await t.client.get(nodes, { name: 'n1' });
    await t.client.create(pods, pod('web'), { dryRun: true, fieldValidation: 'Strict' });
    await t.client.replace(pods, pod('web'), { subresource: 'status' });
    await t.client.patch(deployments, key, { type: 'strategic', body: { kind: 'D', apiVersion: 'v1' } });
    await t.client.apply(pods, pod('web'), { fieldManager: 'me', force: true });
    await t.client.delete(pods, key, { propagationPolicy: 'Foreground', preconditions: { uid: 'u1' } });
    await t.client.deleteCollection(pods, { namespace: 'shop', labelSelector: 'a=b,c' });
    await t.client.create(pods, pod('web'), { subresource: 'eviction' });
    const seen = t.server.requests.map(
      (r) => `${r.method} ${r.path}${r.query.size ? `?${r.query}` : ''} ${r.headers['content-type'] ?? ''}`,
    );
    expect(seen).toEqual([
      'GET /api/v1/namespaces/shop/pods/web ',
      'GET /api/v1/nodes/n1 ',
      'POST /api/v1/namespaces/shop/pods?dryRun=All&fieldManager=tester&fieldValidation=Strict application/json',
      'PUT /api/v1/namespaces/shop/pods/web/status?fieldManager=tester application/json',
      'PATCH /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=tester application/strategic-merge-patch+json',
      'PATCH /api/v1/namespaces/shop/pods/web?fieldManager=me&force=true application/apply-patch+yaml',
      'DELETE /api/v1/namespaces/shop/pods/web application/json',
      'DELETE /api/v1/namespaces/shop/pods?labelSelector=a%3Db%2Cc application/json',
      'POST /api/v1/namespaces/shop/pods/web/eviction?fieldManager=tester application/json',
    ]);
    expect(JSON.parse(t.server.requests[6]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u1' },
    });
  });

  it('keeps an int64 through a round trip', async () => {
    await using t = await setUp((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        request.body ||
          '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"n":9007199254740993}',
      );
    });
    const read = await t.client.get<KubeObject>(pods, { name: 'web', namespace: 'shop' });
    expect(read['n']).toBe(9007199254740993n);
    await t.client.replace(pods, read);
    expect(t.server.requests[1]?.body).toContain('"n":9007199254740993');
  });

  it('rejects a name or namespace that would address something else, before it sends anything', async () => {
    await using t = await setUp(echo);
    for (const name of ['', '.', '..', 'a/b', 'a%2fb']) {
      expect(await failureOf(t.client.delete(pods, { name, namespace: 'shop' }))).toMatchObject({
        code: 'kube-bad-request',
      });
    }
    expect(await failureOf(t.client.delete(pods, { name: 'web' }))).toMatchObject({ code: 'kube-bad-request' });
    expect(await failureOf(t.client.create(pods, { ...pod('web'), metadata: {} }))).toMatchObject({
      code: 'kube-bad-request',
    });
    expect(t.server.requests).toEqual([]);
  });

  it('keeps the path prefix of a server', async () => {
    await using server = await startServer(echo);
    const client = createKubeClient({ ...server.config, server: `${server.url}/k8s/clusters/c1` });
    await client.get(pods, { name: 'web', namespace: 'shop' });
    await client.close();
    expect(server.requests[0]?.path).toBe('/k8s/clusters/c1/api/v1/namespaces/shop/pods/web');
  });
});

describe('lists', () => {
  const list = (items: unknown[], metadata: object) => ({ kind: 'PodList', apiVersion: 'v1', metadata, items });

  it('fills in apiVersion and kind and reads the server time', async () => {
    await using t = await setUp((_, response) =>
      sendJson(response, list([{ metadata: { name: 'a' } }], { resourceVersion: '7', remainingItemCount: 3 }), 200, {
        date: 'Tue, 01 Jan 2030 00:00:05 GMT',
      }),
    );
    expect(await t.client.list(pods, { namespace: 'shop' })).toEqual({
      resourceVersion: '7',
      continue: undefined,
      remainingItemCount: 3,
      serverTimeMs: Date.parse('2030-01-01T00:00:05Z'),
      items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }],
    });
  });

  it("requests metadata only and fills in the objects' own kind", async () => {
    const item = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };
    await using t = await setUp((_, response) => sendJson(response, list([item], { resourceVersion: '7' })));
    const { items } = await t.client.list(deployments, { metadataOnly: true });
    expect(items).toEqual([{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } }]);
    expect(t.server.requests[0]?.headers.accept).toMatch(
      /^application\/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1/,
    );
  });

  it('lists every page', async () => {
    await using t = await setUp(({ query }, response) => {
      const at = Number(query.get('continue') ?? '0');
      const metadata = { resourceVersion: '7', continue: at < 2 ? String(at + 1) : '' };
      sendJson(response, list([{ metadata: { name: `p${at}` } }], metadata));
    });
    const pages = await collect(t.client.pages(pods, { limit: 1, resourceVersion: '5' }));
    expect(pages.flatMap((page) => page.items.map((item) => item.metadata.name))).toEqual(['p0', 'p1', 'p2']);
    expect(t.server.requests.map(({ query }) => `${query.get('limit')} ${query.get('resourceVersion')}`)).toEqual([
      '1 5',
      '1 null',
      '1 null',
    ]);
  });

  it('starts over when a continue token has expired, and finally requests the whole list at once', async () => {
    await using t = await setUp(({ query }, response) => {
      if (query.has('continue')) sendStatus(response, 410, 'Expired');
      else
        sendJson(
          response,
          list([{ metadata: { name: 'a' } }], { resourceVersion: '7', continue: query.has('limit') ? 'x' : '' }),
        );
    });
    const pages = await collect(t.client.pages(pods, { limit: 1 }));
    expect(pages.map((page) => page.startsOver === true)).toEqual([false, true, true]);
    expect(t.server.requests.map(({ query }) => query.get('limit'))).toEqual(['1', '1', '1', '1', null]);
  });
});

describe('failures', () => {
  const key = { name: 'web', namespace: 'shop' };

  it("keeps the server's message, reason and details", async () => {
    await using t = await setUp((_, response) =>
      sendStatus(response, 409, 'AlreadyExists', { message: 'pods "web" already exists', details: { name: 'web' } }),
    );
    expect(await failureOf(t.client.create(pods, pod('web')))).toMatchObject({
      name: 'KubeError',
      code: 'kube-already-exists',
      status: 409,
      reason: 'AlreadyExists',
      method: 'POST',
      path: '/api/v1/namespaces/shop/pods',
      details: { name: 'web' },
      retry: 'never',
    });
  });

  it("retries a throttled read after the server's Retry-After, a bounded number of times, and never a create", async () => {
    const clock = new ManualClock();
    await using t = await setUp(
      (_, response) => sendStatus(response, 429, 'TooManyRequests', { headers: { 'retry-after': '2' } }),
      { clock, maxThrottleRetries: 2 },
    );
    const read = failureOf(t.client.get(pods, key));
    await until(() => clock.sleeps.length === 1, 'the first pause');
    clock.advance(2000);
    await until(() => clock.sleeps.length === 2, 'the second pause');
    clock.advance(2000);
    expect(await read).toMatchObject({ code: 'kube-throttled', retry: { afterMs: 2000 } });
    expect(t.server.requests.length).toBe(3);
    expect(await failureOf(t.client.create(pods, pod('web')))).toMatchObject({ code: 'kube-throttled' });
    expect(t.server.requests.length).toBe(4);
  });

  it('does not wait longer than maxRetryAfterMs', async () => {
    await using t = await setUp((_, response) =>
      sendStatus(response, 429, 'TooManyRequests', { headers: { 'retry-after': '3600' } }),
    );
    expect(await failureOf(t.client.get(pods, key))).toMatchObject({ retry: { afterMs: 3_600_000 } });
    expect(t.server.requests.length).toBe(1);
  });

  it('rejects HTML, broken JSON and other JSON as a response', async () => {
    const bodies = [
      ['text/html', '<html>'],
      ['application/json', '{"kind":'],
      ['application/json', '[1]'],
    ] as const;
    for (const [type, body] of bodies) {
      await using t = await setUp((_, response) => {
        response.writeHead(200, { 'content-type': type });
        response.end(body);
      });
      expect(await failureOf(t.client.get(pods, key))).toMatchObject({ code: 'kube-bad-response', retry: 'backoff' });
    }
  });

  it('rejects a response that is too large', async () => {
    await using t = await setUp((_, response) => sendJson(response, { text: 'x'.repeat(5000) }), {
      maxResponseBytes: 1000,
    });
    expect(await failureOf(t.client.get(pods, key))).toMatchObject({ code: 'kube-bad-response' });
  });

  it('times out at the headers or in the body', async () => {
    for (const withHeaders of [false, true]) {
      const clock = new ManualClock();
      await using t = await setUp(
        (_, response) => {
          if (withHeaders) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        },
        { clock, fetchTimeoutMs: 5000 },
      );
      const read = failureOf(t.client.get(pods, key));
      await until(() => t.server.requests.length === 1, 'the request');
      clock.advance(5000);
      expect(await read).toMatchObject({ code: 'kube-timeout', retry: 'backoff' });
      expect(clock.pending).toBe(0);
    }
  });

  it("rejects with the caller's reason when the caller aborts", async () => {
    await using t = await setUp(() => {});
    const controller = new AbortController();
    const read = failureOf(t.client.get(pods, key, { signal: controller.signal }));
    await until(() => t.server.requests.length === 1, 'the request');
    controller.abort();
    expect((await read).name).toBe('AbortError');
  });

  it('reports that the server is unreachable', async () => {
    const server = await startServer(echo);
    await server[Symbol.asyncDispose]();
    const client = createKubeClient(server.config);
    expect(await failureOf(client.get(pods, key))).toMatchObject({
      code: 'kube-unreachable',
      retry: 'backoff',
      status: undefined,
    });
    await client.close();
  });

  it('sends nothing after close', async () => {
    await using t = await setUp(echo);
    await t.client.close();
    expect(await failureOf(t.client.get(pods, key))).toMatchObject({ code: 'kube-unreachable' });
    expect(t.server.requests).toEqual([]);
  });

  it('retries a read once when the server had closed the connection', async () => {
    let calls = 0;
    await using t = await setUp((request, response) => {
      if (++calls === 1) response.socket?.destroy();
      else echo(request, response);
    });
    await t.client.get(pods, key);
    calls = 0;
    expect(await failureOf(t.client.create(pods, pod('web')))).toMatchObject({ code: 'kube-unreachable' });
    expect(calls).toBe(1);
  });
});

describe('credentials', () => {
  const key = { name: 'web', namespace: 'shop' };

  it('asks the credential source once for fresh credentials when the server rejects them', async () => {
    let refused = 0;
    const tokens = [{ authorization: 'Bearer old' }, { authorization: 'Bearer new' }];
    const source: CredentialSource = { current: () => tokens[refused] ?? {}, rejected: () => ++refused < 2 };
    await using t = await setUp(
      (request, response) => {
        if (request.headers.authorization === 'Bearer new') echo(request, response);
        else sendStatus(response, 401, 'Unauthorized');
      },
      {},
      source,
    );
    await t.client.create(pods, pod('web'));
    expect(t.server.requests.map((r) => r.headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(t.server.requests[1]?.body).toBe(t.server.requests[0]?.body);
  });

  it('never shows a credential in an error', async () => {
    const source = staticCredentials({ authorization: 'Bearer s3cret' });
    await using t = await setUp((_, response) => sendStatus(response, 401, 'Unauthorized'), {}, source);
    const error = (await failureOf(t.client.get(pods, key))) as KubeError;
    expect(error.code).toBe('kube-unauthorized');
    expect(JSON.stringify(error) + error.message + error.stack + String(error.cause)).not.toContain('s3cret');
  });
});

it('logs each warning of the server once', async () => {
  const log = createRecordingLogger();
  await using t = await setUp(
    (_, response) =>
      sendJson(response, pod('web'), 200, {
        warning: ['299 - "policy/v1beta1 is \\"old\\"", 299 - "second"', '299 - "third"'],
      }),
    { log },
  );
  await t.client.get(pods, { name: 'web', namespace: 'shop' });
  await t.client.get(pods, { name: 'web', namespace: 'shop' });
  expect(log.lines.map((line) => line.fields['warning'])).toEqual(['policy/v1beta1 is "old"', 'second', 'third']);
});
