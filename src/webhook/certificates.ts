import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { certificateBackdateMs, createAuthority, issueCertificate, type KeyPair } from '../base/index.ts';

/** What all replicas share: the certificate authorities, newest first, and the serving certificate. */
export interface Certificates {
  readonly authorities: readonly KeyPair[];
  readonly serving: KeyPair;
}

export interface CertificatePolicy {
  readonly commonName: string;
  /** DNS names and IP addresses by which the API server reaches the webhook. */
  readonly hosts: readonly string[];
  readonly authorityDays: number;
  readonly servingDays: number;
  /**
   * How long a new authority is published before it signs, and how long an old one stays trusted after its last
   * signature. A replica or webhook configuration that is behind by less still trusts the serving certificate.
   */
  readonly overlapMs: number;
}

export const defaultCertificatePolicy = {
  authorityDays: 365,
  servingDays: 90,
  overlapMs: 60 * 60 * 1000,
} as const;

/** The longest time to the next check. */
const maxQuietMs = 24 * 60 * 60 * 1000;

/**
 * The next state of the certificates; undefined when nothing is to change. Each step leaves a working state: first a new
 * authority is published, then it signs, and last the old one is removed.
 */
export function nextCertificates(
  current: Certificates | undefined,
  policy: CertificatePolicy,
  now: number,
): Certificates | undefined {
  if (!current || current.authorities.every((authority) => remaining(authority, now) <= 0)) {
    const authority = makeAuthority(policy, now);
    return { authorities: [authority], serving: issue(authority, policy, now) };
  }
  const [newest] = current.authorities;
  if (newest && isDue(newest, now))
    return { ...current, authorities: [makeAuthority(policy, now), ...current.authorities] };
  const signer = signerOf(current.authorities, policy, now);
  const isSignedBySigner = isIssuedBy(current.serving, signer);
  if (isDue(current.serving, now) || !isSignedBySigner || !isFor(current.serving, policy.hosts))
    return { ...current, serving: issue(signer, policy, now) };
  const authorities = current.authorities.filter((authority) => !isObsolete(authority, current, policy, now));
  return authorities.length < current.authorities.length ? { ...current, authorities } : undefined;
}

/** When `nextCertificates` may return a change. */
export function nextChangeMs(
  { authorities, serving }: Certificates,
  { overlapMs }: CertificatePolicy,
  now: number,
): number {
  const [newest = serving] = authorities;
  const times = [serving, newest].map((pair) => validity(pair).renewFrom);
  if (authorities.length > 1) times.push(validity(newest).issuedAt + overlapMs, validity(serving).issuedAt + overlapMs);
  return Math.min(...times.filter((time) => time > now), now + maxQuietMs);
}

/** The CA bundle for the API server. */
export function bundleOf({ authorities }: Certificates): string {
  return authorities.map(({ certPem }) => certPem).join('');
}

/** The newest authority that has been published for the overlap time. */
function signerOf(authorities: readonly KeyPair[], { overlapMs }: CertificatePolicy, now: number): KeyPair {
  const known = authorities.find(
    (authority) => now - validity(authority).issuedAt >= overlapMs && remaining(authority, now) > 0,
  );
  return known ?? authorities.findLast((authority) => remaining(authority, now) > 0) ?? authorities[0]!;
}

function isObsolete(
  authority: KeyPair,
  { authorities, serving }: Certificates,
  policy: CertificatePolicy,
  now: number,
) {
  if (authority === authorities[0] || isIssuedBy(serving, authority)) return false;
  const isNewer = validity(authority).issuedAt > validity(serving).issuedAt;
  return !isNewer && now - validity(serving).issuedAt >= policy.overlapMs;
}

function makeAuthority({ commonName, authorityDays }: CertificatePolicy, now: number): KeyPair {
  return createAuthority({ commonName: `${commonName} authority`, now, validDays: authorityDays });
}

function issue(authority: KeyPair, { commonName, hosts, servingDays }: CertificatePolicy, now: number): KeyPair {
  // Not longer than the authority: a certificate is not trusted after its issuer expires.
  const days = Math.min(servingDays, remaining(authority, now) / (24 * 60 * 60 * 1000));
  return issueCertificate(authority, { commonName, hosts, usage: 'server', now, validDays: days });
}

/** When the certificate was issued, when the last third of its validity starts, and when it expires. */
function validity({ certPem }: KeyPair): {
  readonly issuedAt: number;
  readonly renewFrom: number;
  readonly to: number;
} {
  const { validFrom, validTo } = new X509Certificate(certPem);
  const issuedAt = Date.parse(validFrom) + certificateBackdateMs;
  const to = Date.parse(validTo);
  return { issuedAt, renewFrom: issuedAt + ((to - issuedAt) * 2) / 3, to };
}

const remaining = (pair: KeyPair, now: number) => validity(pair).to - now;

/** In the last third of its validity. */
const isDue = (pair: KeyPair, now: number) => now >= validity(pair).renewFrom;

function isIssuedBy(serving: KeyPair, authority: KeyPair): boolean {
  return new X509Certificate(serving.certPem).verify(new X509Certificate(authority.certPem).publicKey);
}

function isFor({ certPem }: KeyPair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(certPem);
  return hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined);
}
