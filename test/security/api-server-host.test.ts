import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
});
afterAll(() => cluster.stop());

const port = () => Number(new URL(cluster.url).port);
const ask = (headers: Record<string, string>, path = '/api/v1/namespaces') =>
  new Promise<number | undefined>((resolve, reject) =>
    request(
      {
        host: '127.0.0.1',
        port: port(),
        path,
        ca: cluster.caPem,
        servername: 'localhost',
        headers: { authorization: `Bearer ${cluster.token}`, ...headers },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .on('error', reject)
      .end(),
  );

it.each(['127.0.0.1', 'localhost:6443', '[::1]:6443', 'kubernetes.default.svc'])(
  'the embedded API server answers a request for %s',
  async (host) => expect(await ask({ host })).toBe(200),
);

it.each(['attacker.example', '127.0.0.1.attacker.example', 'user@127.0.0.1', '169.254.169.254', '0.0.0.0'])(
  'the embedded API server refuses the Host %j, also on paths that are open to all',
  async (host) => {
    expect(await ask({ host })).toBe(403);
    expect(await ask({ host }, '/version')).toBe(403);
  },
);

it('the embedded API server refuses pages of other origins', async () => {
  expect(await ask({ host: '127.0.0.1', origin: 'https://attacker.example' })).toBe(403);
  expect(await ask({ host: '127.0.0.1', origin: 'null' })).toBe(403);
});

const handshake = (ciphers: string) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port: port(), ca: cluster.caPem, ciphers, maxVersion: 'TLSv1.2' }, () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.on('error', () => resolve('refused'));
  });

it.each(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-RSA-AES128-SHA', 'AES128-SHA'])(
  'the embedded API server refuses the CBC cipher %s',
  async (cipher) => {
    expect(await handshake(cipher)).toBe('refused');
    expect(await handshake('ECDHE+AESGCM')).toContain('GCM');
  },
);
