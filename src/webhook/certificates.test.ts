import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bundleOf, type CertificatePolicy, type Certificates, nextCertificates, nextChangeMs } from './certificates.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const policy: CertificatePolicy = {
  commonName: 'test',
  hosts: ['webhook.supercargo.svc', '127.0.0.1'],
  authorityDays: 15,
  servingDays: 5,
  overlapMs: 12 * hour,
};
const start = Date.parse('2026-01-01T00:00:00Z');

const isTrusted = (serving: string, bundle: string) =>
  (bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).some((pem) =>
    new X509Certificate(serving).verify(new X509Certificate(pem).publicKey),
  );

describe('certificates', () => {
  it('are created for all hosts and then stay unchanged', () => {
    const first = nextCertificates(undefined, policy, start)!;
    const certificate = new X509Certificate(first.serving.certPem);
    expect(certificate.checkHost('webhook.supercargo.svc')).toBeDefined();
    expect(certificate.checkIP('127.0.0.1')).toBeDefined();
    expect(isTrusted(first.serving.certPem, bundleOf(first))).toBe(true);
    expect(nextCertificates(first, policy, start + hour)).toBeUndefined();
  });

  it('are issued again when the hosts change', () => {
    const first = nextCertificates(undefined, policy, start)!;
    const renamed = nextCertificates(first, { ...policy, hosts: ['other.svc'] }, start + 13 * hour)!;
    expect(renamed.authorities).toEqual(first.authorities);
    expect(new X509Certificate(renamed.serving.certPem).checkHost('other.svc')).toBeDefined();
  });

  it('rotate over six weeks, and a client that is behind by the overlap still trusts the serving certificate', () => {
    let current: Certificates = nextCertificates(undefined, policy, start)!;
    /** What was to be trusted at each time; a late API server uses that of some hours ago. */
    const history: { readonly at: number; readonly bundle: string; readonly serving: string }[] = [];
    let authorities = 1;
    for (let now = start; now < start + 45 * day; now += 4 * hour) {
      for (let next = nextCertificates(current, policy, now); next; next = nextCertificates(current, policy, now)) {
        if (next.authorities[0] !== current.authorities[0]) authorities++;
        current = next;
      }
      history.push({ at: now, bundle: bundleOf(current), serving: current.serving.certPem });
      const late = history.find(({ at }) => at >= now - policy.overlapMs + 4 * hour)!;
      expect(isTrusted(current.serving.certPem, late.bundle), new Date(now).toISOString()).toBe(true);
      // A replica that still serves the old certificate is trusted by what is told now.
      expect(isTrusted(late.serving, bundleOf(current))).toBe(true);
      expect(Date.parse(new X509Certificate(current.serving.certPem).validTo)).toBeGreaterThan(now);
      expect(current.authorities.length).toBeLessThanOrEqual(2);
      expect(nextChangeMs(current, policy, now)).toBeGreaterThan(now);
    }
    expect(authorities).toBeGreaterThanOrEqual(4);
  });

  it('are replaced when every authority has expired', () => {
    const first = nextCertificates(undefined, policy, start)!;
    const renewed = nextCertificates(first, policy, start + 100 * day)!;
    expect(renewed.authorities).toHaveLength(1);
    expect(renewed.authorities[0]).not.toEqual(first.authorities[0]);
  });
});
