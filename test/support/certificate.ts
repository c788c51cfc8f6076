import { createAuthority, issueCertificate } from '../../src/base/index.ts';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly caPem: string;
}

let cached: Certificate | undefined;

/** A throw-away certificate of 127.0.0.1 and localhost with its authority; one per process. */
export function createCertificate(): Certificate {
  cached ??= generateCertificate(['127.0.0.1', 'localhost']);
  return cached;
}

/** The same for other names. */
export function generateCertificate(hosts: readonly string[]): Certificate {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'supercargo tests', now, validDays: 2 });
  const issued = issueCertificate(authority, { commonName: hosts[0]!, hosts, usage: 'server', now, validDays: 2 });
  return { key: issued.keyPem, cert: issued.certPem, caPem: authority.certPem };
}
