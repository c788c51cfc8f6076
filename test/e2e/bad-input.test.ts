/**
 * What nobody should send and what should not happen, at the built program over the wire: every answer is a Status with
 * the right reason, nothing is lost, and the next good request works.
 */
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { expectCode, expectFailure } from '../contract/fixture.ts';
import { createHttpClient } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import { startWebhookServer } from '../support/webhook-server.ts';
import { useCluster } from './cluster.ts';

const cluster = useCluster();
const configMaps = '/api/v1/namespaces/default/configmaps';
let counter = 0;
const unique = (prefix: string) => `${prefix}-${++counter}`;
const configMap = (name: string, data: object = { k: 'v' }) => ({ metadata: { name }, data });

afterEach(async () => {
  const name = unique('good');
  await expectCode(cluster.api.post(configMaps, configMap(name)), 201);
  await expectCode(cluster.api.get(`${configMaps}/${name}`), 200);
  await expectCode(cluster.api.delete(`${configMaps}/${name}`), 200);
  expect(cluster.program.stderr()).not.toMatch(/unexpected error|UnhandledPromise|at file:/);
});

describe('bodies', () => {
  it('of an unknown type are refused with 415', async () => {
    for (const contentType of ['text/csv', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense']) {
      const sent = cluster.api.send('POST', configMaps, { body: '{"metadata":{"name":"x"}}', contentType });
      await expectFailure(sent, 415, 'UnsupportedMediaType');
    }
    await expectCode(cluster.api.post(configMaps, configMap('typed')), 201);
    const patched = cluster.api.patch(`${configMaps}/typed`, '{}', 'application/json');
    await expectFailure(patched, 415, 'UnsupportedMediaType');
  });

  it('that are not what their type says are refused with 400', async () => {
    const send = (body: string | Buffer, contentType = 'application/json') =>
      expectFailure(cluster.api.send('POST', configMaps, { body, contentType }), 400, 'BadRequest');
    for (const body of ['', '{', 'null', '[]', '"text"', '7', '{"metadata":{"name":"x"}} trailing']) await send(body);
    await send(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31]));
    await send('a: [', 'application/yaml');
    await send('a: &a [*a]', 'application/yaml');
    await send(Buffer.from('k8s\0garbage'), 'application/vnd.kubernetes.protobuf');
    await send('not the magic number', 'application/vnd.kubernetes.protobuf');
    await send(Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(1000, 0xff)]), 'application/vnd.kubernetes.protobuf');
  });

  it('of more than 3 MiB are refused with 413, with or without a Content-Length', async () => {
    const big = JSON.stringify(configMap('big', { k: 'x'.repeat(4 * 1024 * 1024) }));
    await expectFailure(cluster.api.post(configMaps, big), 413, 'RequestEntityTooLarge');
    expect(await rawStatus('POST', configMaps, chunked(big))).toBe(413);
    expect((await cluster.api.get(`${configMaps}/big`)).status).toBe(404);
  });

  it('nested too deeply are refused with 400', async () => {
    const depth = 100_000;
    const json = `{"metadata":{"name":"deep"},"data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    await expectFailure(cluster.api.post(configMaps, json), 400, 'BadRequest');
    const objects = `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
    await expectFailure(cluster.api.post(configMaps, objects), 400, 'BadRequest');
    const yaml = { body: `data: ${'['.repeat(depth)}${']'.repeat(depth)}`, contentType: 'application/yaml' };
    await expectFailure(cluster.api.send('POST', configMaps, yaml), 400, 'BadRequest');
  });

  it('of YAML whose aliases would grow without end are refused', async () => {
    const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [*l${i},*l${i},*l${i},*l${i},*l${i}]`);
    const body = ['l0: &l0 [x,x,x,x,x]', ...levels].join('\n');
    const sent = cluster.api.send('POST', configMaps, { body, contentType: 'application/yaml' });
    await expectFailure(sent, 400, 'BadRequest');
  });

  it('with the key __proto__, plain or escaped, reach no prototype', async () => {
    for (const key of ['__proto__', '\\u005f_proto__']) {
      const body = `{"metadata":{"name":"p"},"data":{"${key}":"polluted"},"${key}":{"polluted":"yes"}}`;
      const created = await expectCode(cluster.api.post(configMaps, body), 201);
      expect(Object.entries((created as { data: object }).data)).toEqual([['__proto__', 'polluted']]);
      await expectCode(cluster.api.delete(`${configMaps}/p`), 200);
      const patch = `{"metadata":{"labels":{"${key}":{"polluted":"yes"}}}}`;
      await expectCode(cluster.api.post(configMaps, configMap('target')), 201);
      await expectFailure(cluster.api.patch(`${configMaps}/target`, patch, 'merge'), 422, 'Invalid');
      const operations = `[{"op":"add","path":"/metadata/labels","value":{"${key}":{"polluted":"yes"}}}]`;
      await expectFailure(cluster.api.patch(`${configMaps}/target`, operations, 'json'), 422, 'Invalid');
      expect(JSON.stringify((await cluster.api.get(`${configMaps}/target`)).body)).not.toContain('polluted');
      await expectCode(cluster.api.delete(`${configMaps}/target`), 200);
    }
    const pointer = [{ op: 'add', path: '/__proto__/polluted', value: 'yes' }];
    await expectCode(cluster.api.post(configMaps, configMap('target')), 201);
    const { status } = await cluster.api.patch(`${configMaps}/target`, pointer, 'json');
    expect([400, 422]).toContain(status);
    await expectCode(cluster.api.delete(`${configMaps}/target`), 200);
    const created = await expectCode(cluster.api.post(configMaps, configMap('clean')), 201);
    expect(created).not.toHaveProperty('polluted');
  });
});

describe('requests', () => {
  it('with a token that is not known are refused with 401', async () => {
    for (const authorization of ['Bearer wrong', 'Bearer ', `Bearer ${cluster.target.token}x`]) {
      const answer = cluster.api.get('/api/v1/namespaces', { authorization });
      await expectFailure(answer, 401, 'Unauthorized');
    }
    const { url, caPem } = cluster.target;
    const anonymous = createHttpClient({ url, caPem });
    await expectFailure(anonymous.get('/api/v1/namespaces'), 403, 'Forbidden');
    await anonymous.close();
  });

  it('for what does not exist are refused with 404', async () => {
    for (const path of ['/apis/none.test/v1/things', '/api/v1/nothings', '/api/v1/namespaces/default/nothings/x'])
      expect((await cluster.api.get(path)).status).toBe(404);
    await expectFailure(cluster.api.post('/api/v1/nothings', {}), 404, 'NotFound');
    const unknown = { apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'x' } };
    await expectFailure(cluster.api.post(configMaps, unknown), 400, 'BadRequest');
  });

  it('that come too late are refused with 409', async () => {
    const created = await expectCode(cluster.api.post(configMaps, configMap('late')), 201);
    await expectFailure(cluster.api.post(configMaps, configMap('late')), 409, 'AlreadyExists');
    await expectCode(cluster.api.put(`${configMaps}/late`, { ...created, data: { k: 'new' } }), 200);
    await expectFailure(cluster.api.put(`${configMaps}/late`, { ...created, data: { k: 'old' } }), 409, 'Conflict');
    const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
    await expectFailure(cluster.api.delete(`${configMaps}/late`, { preconditions }), 409, 'Conflict');
    expect((await cluster.api.get(`${configMaps}/late`)).body.data).toEqual({ k: 'new' });
  });

  it('with parameters that make no sense are refused with 400 or 422', async () => {
    const parameters = [
      'labelSelector=a%20in%20(',
      'fieldSelector=data.k=1',
      'resourceVersion=abc',
      'continue=garbage',
      `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":"x"}').toString('base64url')}`,
      'resourceVersionMatch=Never&resourceVersion=1',
    ];
    for (const parameter of parameters) {
      const { status, body } = await cluster.api.get(`${configMaps}?${parameter}`);
      expect([400, 422], parameter).toContain(status);
      expect(body, parameter).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
    }
    const dryRun = cluster.api.post(`${configMaps}?dryRun=Maybe`, configMap('x'));
    expect([400, 422]).toContain((await dryRun).status);
  });

  it('that are not HTTP, or stop in the middle, do not affect others', async () => {
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(`GET /api HTTP/1.1\r\nhost: localhost\r\nx-big: ${'a'.repeat(100_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    for (const path of [
      '/api/v1/namespaces/%zz',
      '/api/v1/namespaces/%2e%2e/..',
      '//api//v1',
      '/api/v1/namespaces/%00',
    ])
      expect(await rawStatus('GET', path), path).toBeGreaterThanOrEqual(400);
    const { token } = cluster.target;
    const half = `POST ${configMaps} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"metadata":`;
    await raw(half, { endAfterWrite: true });
    expect((await cluster.api.send('TRACE' as 'GET', configMaps)).status).toBe(405);
  });
});

describe('webhooks', () => {
  it('that hang, answer garbage or are down fail the requests they guard and no others', async () => {
    const server = await startWebhookServer((_, path) =>
      path === '/hang' ? new Promise<never>(() => {}) : { raw: path === '/empty' ? '' : '<html>garbage</html>' },
    );
    const guard = async (name: string, url: string) => {
      await expectCode(cluster.api.post('/api/v1/namespaces', { metadata: { name, labels: { guarded: name } } }), 201);
      const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
      const webhook = {
        name: `${name}.example.test`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 1,
        clientConfig: { url, caBundle: server.caBundle },
        rules: [rule],
        namespaceSelector: { matchLabels: { guarded: name } },
      };
      const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      // The namespace's own config map would be refused too: it must be there before the guard.
      await eventually(() =>
        expectCode(cluster.api.get(`/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`), 200),
      );
      await expectCode(cluster.api.post(hooks, { metadata: { name }, webhooks: [webhook] }), 201);
      const path = `/api/v1/namespaces/${name}/configmaps`;
      const body = await eventually(() =>
        expectFailure(cluster.api.post(`${path}?dryRun=All`, configMap('x')), 500, 'InternalError'),
      );
      expect(body.message).toContain(`failed calling webhook "${name}.example.test"`);
      await expectCode(cluster.api.delete(`${hooks}/${name}`), 200);
      await eventually(() => expectCode(cluster.api.post(path, configMap('x')), 201));
      return body.message;
    };
    try {
      await Promise.all([
        guard('hanging', `${server.url}/hang`).then((message) => expect(message).toContain('deadline exceeded')),
        guard('garbage', `${server.url}/garbage`),
        guard('empty', `${server.url}/empty`),
        guard('down', 'https://127.0.0.1:1/'),
      ]);
    } finally {
      await server.close();
    }
  });
});

interface RawOptions {
  readonly endAfterWrite?: boolean;
}

/** Writes bytes into a TLS connection and answers what comes back until the server, or we, end it. */
function raw(text: string, { endAfterWrite = false }: RawOptions = {}): Promise<string> {
  const { hostname, port } = new URL(cluster.target.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port), ca: cluster.target.caPem }, () =>
      socket.write(text, () => endAfterWrite && socket.destroy()),
    );
    socket.setEncoding('utf8');
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end of the answer: ${answer}`)));
    socket.on('data', (chunk) => {
      answer += chunk;
      if (/^HTTP\/1\.1 \d+ .*\r\n/.test(answer)) socket.destroy();
    });
    // A server that refuses a body may close while we still write.
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
    socket.on('close', () => resolve(answer));
  });
}

async function rawStatus(method: string, path: string, body = '\r\n'): Promise<number> {
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${cluster.target.token}\r\ncontent-type: application/json\r\n`;
  return Number((await raw(head + body)).split(' ')[1]);
}

const chunked = (text: string) =>
  `transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;
