import { X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from './certificate.ts';

const now = Date.now();
const authority = createAuthority({ commonName: 'test CA', now, validDays: 10 });

describe('certificates', () => {
  it('an authority signs itself and may sign others', () => {
    const ca = new X509Certificate(authority.certPem);
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(ca.subject).toBe('CN=test CA');
    expect(new Date(ca.validTo).getTime()).toBeCloseTo(now + 10 * 86_400_000, -4);
  });

  it('an issued certificate contains its hosts and is verified by the authority', () => {
    const issued = issueCertificate(authority, {
      commonName: 'server',
      organizations: ['system:nodes'],
      hosts: ['localhost', '127.0.0.1', '::1', 'fe80::1:2'],
      usage: 'server',
      now,
      validDays: 400 * 100,
    });
    const certificate = new X509Certificate(issued.certPem);
    expect(certificate.checkIssued(new X509Certificate(authority.certPem))).toBe(true);
    expect(certificate.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FE80:0:0:0:0:0:1:2',
    );
    expect(certificate.subject).toBe('O=system:nodes\nCN=server');
    expect(certificate.ca).toBe(false);
  });

  it('serves TLS to a client that trusts only the authority', async () => {
    const issued = issueCertificate(authority, {
      commonName: 'x',
      hosts: ['127.0.0.1'],
      usage: 'server',
      now,
      validDays: 1,
    });
    const server = createServer({ key: issued.keyPem, cert: issued.certPem }, (_, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = (ca: string) =>
      new Promise<string>((resolve, reject) => {
        request({ host: '127.0.0.1', port, ca, agent: false }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        })
          .on('error', reject)
          .end();
      });
    try {
      await expect(get(authority.certPem)).resolves.toBe('hello');
      const stranger = createAuthority({ commonName: 'stranger', now, validDays: 1 });
      await expect(get(stranger.certPem)).rejects.toThrow();
    } finally {
      server.close();
    }
  });
});
