import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../base/index.ts';
import { callService, type ServiceCallLimits } from './service-call.ts';

const servers: Pick<Server, 'close' | 'closeAllConnections'>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    servers.push(server);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const limits: ServiceCallLimits = {
  timeoutMs: 2_000,
  maxResponseBytes: 10_000,
  allowAnyAddress: true,
  httpPrivateAddresses: false,
};
const signal = new AbortController().signal;
const call = (url: string, more: object = {}, changed: Partial<ServiceCallLimits> = {}) =>
  callService({ kind: 'serviceCall', method: 'GET', url, headers: {}, ...more }, { ...limits, ...changed }, signal);

describe('a service call', () => {
  it('sends headers and data, and returns JSON', async () => {
    const port = await listen(
      createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => (body += chunk));
        request.on('end', () => response.end(JSON.stringify({ body, token: request.headers['x-token'] })));
      }),
    );
    const answer = await call(`http://127.0.0.1:${port}/x`, {
      method: 'POST',
      headers: { 'x-token': 't' },
      data: { a: 1 },
    });
    expect(answer).toEqual({ body: '{"a":1}', token: 't' });
  });

  it('trusts only the certificate authority that the policy names', async () => {
    const now = Date.now();
    const authority = createAuthority({ commonName: 'a', now, validDays: 1 });
    const { keyPem, certPem } = issueCertificate(authority, {
      commonName: 's',
      hosts: ['127.0.0.1'],
      usage: 'server',
      now,
      validDays: 1,
    });
    const port = await listen(
      createSecureServer({ key: keyPem, cert: certPem }, (_, response) => response.end('{"ok":true}')) as never,
    );
    expect(await call(`https://127.0.0.1:${port}/`, { caBundle: authority.certPem })).toEqual({ ok: true });
    await expect(call(`https://127.0.0.1:${port}/`)).rejects.toThrow(/could not be called/);
  });

  it('does not follow redirects', async () => {
    const port = await listen(
      createServer((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()),
    );
    await expect(call(`http://127.0.0.1:${port}/`)).rejects.toThrow('responded with status 302');
  });

  it('never reaches loopback, by address or by a name that resolves to it', async () => {
    let reached = 0;
    const port = await listen(
      createServer((_, response) => {
        reached++;
        response.end('{}');
      }),
    );
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
      await expect(call(`http://${host}:${port}/`, {}, { allowAnyAddress: false }), host).rejects.toThrow(
        /may not be connected to/,
      );
    expect(reached).toBe(0);
  });

  it('reaches no private address from a function of CEL, by its name either, unless that is allowed', async () => {
    const resolve: ServiceCallLimits['resolve'] = (_host, _options, done) =>
      done(null, [{ address: '10.0.0.7', family: 4 }]);
    // Nothing is sent: what is allowed ends with the signal.
    const answer = (host: string, more: object, changed: object = {}) =>
      callService(
        { kind: 'serviceCall', method: 'GET', url: `http://${host}/`, headers: {}, ...more },
        { ...limits, allowAnyAddress: false, resolve, ...changed },
        AbortSignal.abort(),
      ).catch((thrown: Error) => thrown.message);
    const asLibrary = { asLibrary: true };
    expect(await answer('10.0.0.7', asLibrary)).toContain('10.0.0.7 is a private address');
    expect(await answer('10.0.0.7', asLibrary, { httpPrivateAddresses: true })).toContain('could not be called');
    expect(await answer('10.0.0.7', {})).toContain('could not be called');
    expect(await answer('169.254.169.254', asLibrary, { httpPrivateAddresses: true })).toContain('metadata address');
    const named = (more: object, changed: object = {}) =>
      callService(
        { kind: 'serviceCall', method: 'GET', url: 'http://service.example/', headers: {}, ...more },
        { ...limits, allowAnyAddress: false, resolve, ...changed },
        signal,
      ).catch((thrown: Error) => thrown.message);
    expect(await named(asLibrary)).toContain('resolves to a private address, which may not be connected to');
  });

  it('fails on a response that is too large, too late or not JSON', async () => {
    const port = await listen(
      createServer(({ url }, response) => {
        if (url === '/long') response.end(JSON.stringify('x'.repeat(20_000)));
        else if (url === '/text') response.end('hello');
      }),
    );
    await expect(call(`http://127.0.0.1:${port}/long`)).rejects.toThrow('larger than 10000 bytes');
    await expect(call(`http://127.0.0.1:${port}/text`)).rejects.toThrow('is not JSON');
    await expect(call(`http://127.0.0.1:${port}/never`, {}, { timeoutMs: 50 })).rejects.toThrow(/could not be called/);
  });

  it.each(['ftp://x/', 'file:///etc/passwd', 'nonsense', 'https://user:password@x/'])(
    'refuses %s without quoting it',
    async (url) => {
      await expect(call(url)).rejects.toThrow(/^the URL of a service must be http or https, without credentials$/);
    },
  );
});
