import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../base/index.ts';
import { createKubeClient } from './client.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { Credentials } from './credentials.ts';
import { failureOf, nodes, type Respond, sendJson, startServer } from './testing/server.ts';

const validity = { now: Date.now(), validDays: 2 };
const authority = createAuthority({ commonName: 'test CA', ...validity });
const issue = (commonName: string, usage: 'server' | 'client', hosts: string[] = []) =>
  issueCertificate(authority, { commonName, usage, hosts, ...validity });
const forAddress = issue('server', 'server', ['127.0.0.1']);

const respond: Respond = (_, response) => {
  const peer = (response.socket as TLSSocket).getPeerCertificate?.();
  sendJson(response, { apiVersion: 'v1', kind: 'Node', metadata: { name: peer?.subject?.CN ?? 'nobody' } });
};

const startTls = (pair = forAddress) =>
  startServer(respond, {
    key: pair.keyPem,
    cert: pair.certPem,
    ca: authority.certPem,
    requestCert: true,
    rejectUnauthorized: false,
  });

async function nameSeenBy(config: ClusterConfig): Promise<string | undefined> {
  const client = createKubeClient(config);
  try {
    return (await client.get(nodes, { name: 'n1' })).metadata.name;
  } finally {
    await client.close();
  }
}

describe('TLS', () => {
  it('trusts only the given authority', async () => {
    await using server = await startTls();
    expect(await nameSeenBy({ ...server.config, tls: { ca: authority.certPem } })).toBe('nobody');
    const other = createAuthority({ commonName: 'other CA', ...validity });
    for (const tls of [{ ca: other.certPem }, {}]) {
      expect(await failureOf(nameSeenBy({ ...server.config, tls }))).toMatchObject({ code: 'kube-unreachable' });
    }
    expect(await nameSeenBy({ ...server.config, tls: { insecureSkipVerify: true } })).toBe('nobody');
  });

  it('verifies the certificate for the configured server name', async () => {
    await using server = await startTls(issue('server', 'server', ['kubernetes.default']));
    const ca = authority.certPem;
    expect(await nameSeenBy({ ...server.config, tls: { ca, serverName: 'kubernetes.default' } })).toBe('nobody');
    expect(await failureOf(nameSeenBy({ ...server.config, tls: { ca } }))).toMatchObject({ code: 'kube-unreachable' });
  });

  it('presents its client certificate, and a new one after it was replaced', async () => {
    await using server = await startTls();
    const [jo, mo] = [issue('jo', 'client'), issue('mo', 'client')];
    let current: Credentials = { certificate: jo.certPem, key: jo.keyPem };
    const credentials = { current: () => current, rejected: () => false };
    const client = createKubeClient({ ...server.config, tls: { ca: authority.certPem }, credentials });
    const seen = async () => (await client.get(nodes, { name: 'n1' })).metadata.name;
    expect(await seen()).toBe('jo');
    current = { certificate: mo.certPem, key: mo.keyPem };
    expect(await Promise.all([seen(), seen()])).toEqual(['mo', 'mo']);
    await client.close();
  });
});

it('connects through a proxy', async () => {
  await using server = await startTls();
  const targets: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    targets.push(request.url ?? '');
    const upstream = connect(server.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  expect(await nameSeenBy({ ...server.config, tls: { ca: authority.certPem }, proxyUrl })).toBe('nobody');
  expect(targets).toEqual([`127.0.0.1:${server.port}`]);
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});

it('reuses connections, and watches take none from calls', async () => {
  const sockets = new Set<unknown>();
  await using server = await startServer((request, response) => {
    sockets.add(response.socket);
    if (request.query.has('watch')) response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    else respond(request, response);
  });
  const client = createKubeClient(server.config, { maxConnections: 1 });
  const stop = new AbortController();
  const watches = Array.from({ length: 5 }, () =>
    failureOf(client.watch(nodes, { resourceVersion: '1', signal: stop.signal }).next()),
  );
  for (let i = 0; i < 4; i++) await client.get(nodes, { name: 'n1' });
  await Promise.all([client.get(nodes, { name: 'n1' }), client.get(nodes, { name: 'n1' })]);
  expect(sockets.size).toBe(6);
  stop.abort();
  await Promise.all(watches);
  await client.close();
});
