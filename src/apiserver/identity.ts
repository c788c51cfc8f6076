import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, errorCode, issueCertificate, type KeyPair } from '../base/index.ts';

/** What clients need to trust and reach a server: its CA and the administrator's token. */
export interface Identity {
  readonly authority: KeyPair;
  readonly certificate: KeyPair;
  readonly token: string;
}

const tenYears = 3650;

/** The identity stored in `dir`, created on first use; without a directory, a new one every time. */
export function loadIdentity(dir: string | undefined, hosts: readonly string[], now: number): Identity {
  const files =
    dir === undefined ? undefined : { key: join(dir, 'ca.key'), cert: join(dir, 'ca.crt'), token: join(dir, 'token') };
  let kept = files && { key: read(files.key), cert: read(files.cert), token: read(files.token) };
  if (kept?.key === undefined || kept.cert === undefined || kept.token === undefined) {
    const made = createAuthority({ commonName: 'supercargo embedded cluster', now, validDays: tenYears });
    kept = { key: made.keyPem, cert: made.certPem, token: randomBytes(24).toString('base64url') };
    if (files && dir !== undefined) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      writeFileSync(files.key, kept.key!, { mode: 0o600 });
      writeFileSync(files.cert, kept.cert!, { mode: 0o600 });
      writeFileSync(files.token, kept.token!, { mode: 0o600 });
    }
  }
  const authority = { keyPem: kept.key!, certPem: kept.cert! };
  const certificate = issueCertificate(authority, {
    commonName: 'kube-apiserver',
    hosts,
    usage: 'server',
    now,
    validDays: 365,
  });
  return { authority, certificate, token: kept.token!.trim() };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() === '' ? undefined : readFileSync(path, 'utf8');
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
