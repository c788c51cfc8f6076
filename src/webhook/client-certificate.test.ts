import { request } from 'node:https';
import { type ConnectionOptions, connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from '../base/index.ts';
import type { Reviewer } from './reviewer.ts';
import { type Reply, reviewOf, type Serving, serve } from './testing/serving.ts';

let serving: Serving | undefined;
afterEach(async () => {
  await serving?.stop();
  serving = undefined;
});

const now = Date.now();
const authorityOf = (commonName: string) => createAuthority({ commonName, now, validDays: 1 });
const clients = authorityOf('webhook clients');
const clientOf = (authority: KeyPair, commonName: string, usage: 'client' | 'server' = 'client') =>
  issueCertificate(authority, { commonName, hosts: ['127.0.0.1'], usage, now, validDays: 1 });

const seen: boolean[] = [];
const reviewer: Reviewer = {
  path: 'validate',
  review: (_, { authenticated }) => {
    seen.push(authenticated);
    return {};
  },
};

async function start({ required = false, names = [] as string[] } = {}): Promise<Serving> {
  seen.length = 0;
  serving = await serve([reviewer], { clientAuthentication: { authorities: clients.certPem, names, required } });
  return serving;
}

/** Sends one review on a new connection. */
function send({ port, authority }: Serving, tls: ConnectionOptions = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const body = reviewOf({});
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { host: '127.0.0.1', port, ca: authority.certPem, path: '/validate', method: 'POST', headers };
    const sent = request({ ...options, ...tls, agent: false } as never, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const withCertificate = ({ certPem, keyPem }: KeyPair) => ({ cert: certPem, key: keyPem });

describe('the API server', () => {
  it('is authenticated by a client certificate of the configured authority', async () => {
    const current = await start();
    expect(await send(current, withCertificate(clientOf(clients, 'apiserver')))).toMatchObject({ status: 200 });
    expect(seen).toEqual([true]);
  });

  it('is not authenticated without one, of another authority, or by a server certificate; reviews are answered', async () => {
    const current = await start();
    expect(await send(current)).toMatchObject({ status: 200 });
    const foreign = clientOf(authorityOf('webhook clients'), 'apiserver');
    expect(await send(current, withCertificate(foreign))).toMatchObject({ status: 200 });
    const server = clientOf(clients, 'apiserver', 'server');
    expect(await send(current, withCertificate(server))).toMatchObject({ status: 200 });
    expect(seen).toEqual([false, false, false]);
  });

  it('is not authenticated by the certificate of the authority that signs the serving certificate', async () => {
    const current = await start();
    await send(current, withCertificate(clientOf(current.authority, 'apiserver')));
    expect(seen).toEqual([false]);
  });

  it('is never authenticated where nothing is configured', async () => {
    seen.length = 0;
    serving = await serve([reviewer]);
    await send(serving, withCertificate(clientOf(clients, 'apiserver')));
    expect(seen).toEqual([false]);
  });

  it('is known by its name where names are configured', async () => {
    const current = await start({ names: ['apiserver'] });
    await send(current, withCertificate(clientOf(clients, 'kubelet')));
    await send(current, withCertificate(clientOf(clients, 'apiserver')));
    expect(seen).toEqual([false, true]);
  });
});

describe('a required client certificate', () => {
  it('is asked for with 401, and with 403 when it is not accepted; no reviewer sees the review', async () => {
    const current = await start({ required: true, names: ['apiserver'] });
    expect(await send(current)).toMatchObject({ status: 401 });
    expect(await send(current, withCertificate(clientOf(clients, 'kubelet')))).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
    expect(await send(current, withCertificate(clientOf(clients, 'apiserver')))).toMatchObject({ status: 200 });
    expect(seen).toEqual([true]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is not replaced by a resumed %s session', async (version) => {
    const current = await start();
    const { port, authority } = current;
    const session = await new Promise<Buffer>((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        ca: authority.certPem,
        minVersion: version,
        maxVersion: version,
      });
      socket.on('session', (given) => {
        resolve(given);
        socket.end();
      });
      socket.on('error', reject);
      // A TLS 1.3 client is given its ticket with the first answer.
      socket.on('secureConnect', () => socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'));
      socket.resume();
    });
    expect(await send(current, { session, minVersion: version, maxVersion: version })).toMatchObject({ status: 200 });
    expect(seen).toEqual([false]);
  });
});

describe('the ciphers', () => {
  const handshake = (current: Serving, tls: ConnectionOptions) =>
    new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: current.port, ca: current.authority.certPem, ...tls });
      socket.on('secureConnect', () => {
        resolve(socket.getCipher().name);
        socket.end();
      });
      socket.on('error', () => resolve('refused'));
    });

  it.each([
    'ECDHE-ECDSA-AES128-SHA',
    'ECDHE-ECDSA-AES256-SHA',
    'ECDHE-ECDSA-AES128-SHA256',
    'ECDHE-RSA-AES128-SHA',
    'AES128-GCM-SHA256',
  ])('do not include %s', async (ciphers) => {
    serving = await serve([reviewer]);
    expect(await handshake(serving, { maxVersion: 'TLSv1.2', ciphers })).toBe('refused');
  });

  it('do not include CBC after a change of the certificate either', async () => {
    serving = await serve([reviewer]);
    serving.server.use(serving.certificate());
    expect(await handshake(serving, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' })).toBe('refused');
  });

  it('are of TLS 1.2 and later', async () => {
    serving = await serve([reviewer]);
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await handshake(serving, old)).toBe('refused');
    expect(await handshake(serving, { maxVersion: 'TLSv1.2' })).toMatch(/GCM|POLY1305/);
    expect(await handshake(serving, {})).toMatch(/^TLS_/);
  });
});
