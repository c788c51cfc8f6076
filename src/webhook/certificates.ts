import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { certificateBackdateMs, createAuthority, issueCertificate, type KeyPair } from '../base/index.ts';

/** What all replicas share: our authorities, the newest first, and the certificate that is served. */
export interface Certificates {
  readonly authorities: readonly KeyPair[];
  readonly serving: KeyPair;
}

export interface CertificatePolicy {
  readonly commonName: string;
  /** DNS names and addresses that the API server may call us by. */
  readonly hosts: readonly string[];
  readonly authorityDays: number;
  readonly servingDays: number;
  /**
   * A new authority is only told to the cluster for so long before it signs anything, and an old one is believed for
   * so long after it signed last: however late a replica or a webhook configuration is, it trusts what is served.
   */
  readonly overlapMs: number;
}

export const defaultCertificatePolicy = {
  authorityDays: 365,
  servingDays: 90,
  overlapMs: 60 * 60 * 1000,
} as const;

/** Looked at again after so long, whatever was expected. */
const maxQuietMs = 24 * 60 * 60 * 1000;

/**
 * What the certificates should become now; undefined when they are good as they are. Every step is small and leaves
 * something that works: first a new authority is made known, later it signs, and last the old one is forgotten.
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
  if (newest && isOld(newest, now))
    return { ...current, authorities: [makeAuthority(policy, now), ...current.authorities] };
  const signer = signerOf(current.authorities, policy, now);
  const isSignedBySigner = isIssuedBy(current.serving, signer);
  if (isOld(current.serving, now) || !isSignedBySigner || !isFor(current.serving, policy.hosts))
    return { ...current, serving: issue(signer, policy, now) };
  const authorities = current.authorities.filter((authority) => !isForgotten(authority, current, policy, now));
  return authorities.length < current.authorities.length ? { ...current, authorities } : undefined;
}

/** When `nextCertificates` may answer something else. */
export function nextChangeMs(
  { authorities, serving }: Certificates,
  { overlapMs }: CertificatePolicy,
  now: number,
): number {
  const [newest = serving] = authorities;
  const times = [serving, newest].map((pair) => validity(pair).oldFrom);
  if (authorities.length > 1) times.push(validity(newest).made + overlapMs, validity(serving).made + overlapMs);
  return Math.min(...times.filter((time) => time > now), now + maxQuietMs);
}

/** What the API server is told to trust. */
export function bundleOf({ authorities }: Certificates): string {
  return authorities.map(({ certPem }) => certPem).join('');
}

/** The newest authority that everybody has had the time to hear of. */
function signerOf(authorities: readonly KeyPair[], { overlapMs }: CertificatePolicy, now: number): KeyPair {
  const known = authorities.find(
    (authority) => now - validity(authority).made >= overlapMs && remaining(authority, now) > 0,
  );
  return known ?? authorities.findLast((authority) => remaining(authority, now) > 0) ?? authorities[0]!;
}

function isForgotten(
  authority: KeyPair,
  { authorities, serving }: Certificates,
  policy: CertificatePolicy,
  now: number,
) {
  if (authority === authorities[0] || isIssuedBy(serving, authority)) return false;
  const isNewer = validity(authority).made > validity(serving).made;
  return !isNewer && now - validity(serving).made >= policy.overlapMs;
}

function makeAuthority({ commonName, authorityDays }: CertificatePolicy, now: number): KeyPair {
  return createAuthority({ commonName: `${commonName} authority`, now, validDays: authorityDays });
}

function issue(authority: KeyPair, { commonName, hosts, servingDays }: CertificatePolicy, now: number): KeyPair {
  // No longer than the authority itself: what outlives its signer is refused all the same.
  const days = Math.min(servingDays, remaining(authority, now) / (24 * 60 * 60 * 1000));
  return issueCertificate(authority, { commonName, hosts, usage: 'server', now, validDays: days });
}

/** When it was made, when its last third begins, and when it ends. */
function validity({ certPem }: KeyPair): { readonly made: number; readonly oldFrom: number; readonly to: number } {
  const { validFrom, validTo } = new X509Certificate(certPem);
  const made = Date.parse(validFrom) + certificateBackdateMs;
  const to = Date.parse(validTo);
  return { made, oldFrom: made + ((to - made) * 2) / 3, to };
}

const remaining = (pair: KeyPair, now: number) => validity(pair).to - now;

/** In the last third of its life. */
const isOld = (pair: KeyPair, now: number) => now >= validity(pair).oldFrom;

function isIssuedBy(serving: KeyPair, authority: KeyPair): boolean {
  return new X509Certificate(serving.certPem).verify(new X509Certificate(authority.certPem).publicKey);
}

function isFor({ certPem }: KeyPair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(certPem);
  return hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined);
}
