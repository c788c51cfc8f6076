import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP } from 'node:net';
import { type Der, der } from './der.ts';

/** A private key and its certificate, both PEM. */
export interface KeyPair {
  readonly keyPem: string;
  readonly certPem: string;
}

export interface AuthorityOptions {
  readonly commonName: string;
  readonly now: number;
  readonly validDays: number;
}

export interface CertificateOptions extends AuthorityOptions {
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses of the certificate. */
  readonly hosts?: readonly string[];
  readonly usage: 'server' | 'client';
}

const dayMs = 24 * 60 * 60 * 1000;
/** Clocks differ: a certificate is valid from shortly before its creation. */
export const certificateBackdateMs = 5 * 60 * 1000;

/** A self-signed certificate authority on P-256. */
export function createAuthority(options: AuthorityOptions): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = keyIdentifier(publicKey);
  return issue({
    subject: name(options.commonName, []),
    issuer: name(options.commonName, []),
    publicKey,
    privateKey,
    signer: privateKey,
    now: options.now,
    validDays: options.validDays,
    extensions: [
      extension('2.5.29.19', true, der.sequence(der.boolean(true))),
      // keyCertSign and cRLSign are bits 5 and 6, digitalSignature is bit 0.
      extension('2.5.29.15', true, der.bitString(Buffer.of(0b1000_0110), 1)),
      extension('2.5.29.14', false, der.octetString(keyId)),
    ],
  });
}

/** A certificate signed by `authority`, which may have been created elsewhere (any EC or RSA key). */
export function issueCertificate(authority: KeyPair, options: CertificateOptions): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = createPrivateKey(authority.keyPem);
  const purpose = options.usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
  const hosts = (options.hosts ?? []).map(alternativeName);
  return issue({
    subject: name(options.commonName, options.organizations ?? []),
    issuer: subjectOf(authority.certPem),
    publicKey,
    privateKey,
    signer,
    now: options.now,
    validDays: options.validDays,
    extensions: [
      extension('2.5.29.19', true, der.sequence()),
      extension('2.5.29.15', true, der.bitString(Buffer.of(0b1000_0000), 7)),
      extension('2.5.29.37', false, der.sequence(der.oid(purpose))),
      extension('2.5.29.35', false, der.sequence(der.implicit(0, keyIdentifier(createPublicKey(signer))))),
      ...(hosts.length > 0 ? [extension('2.5.29.17', false, der.sequence(...hosts))] : []),
    ],
  });
}

interface Draft {
  readonly subject: Der;
  readonly issuer: Der;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly signer: KeyObject;
  readonly now: number;
  readonly validDays: number;
  readonly extensions: readonly Der[];
}

function issue(draft: Draft): KeyPair {
  const algorithm = der.sequence(
    ...(draft.signer.asymmetricKeyType === 'rsa'
      ? [der.oid('1.2.840.113549.1.1.11'), Buffer.from([5, 0])]
      : [der.oid('1.2.840.10045.4.3.2')]),
  );
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(serial),
    algorithm,
    draft.issuer,
    der.sequence(der.time(draft.now - certificateBackdateMs), der.time(draft.now + draft.validDays * dayMs)),
    draft.subject,
    draft.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...draft.extensions)),
  );
  const certificate = der.sequence(body, algorithm, der.bitString(sign('sha256', body, draft.signer)));
  return {
    keyPem: draft.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certPem: pem('CERTIFICATE', certificate),
  };
}

function name(commonName: string, organizations: readonly string[]): Der {
  const attribute = (oid: string, value: string) => der.set(der.sequence(der.oid(oid), der.utf8(value)));
  return der.sequence(...organizations.map((o) => attribute('2.5.4.10', o)), attribute('2.5.4.3', commonName));
}

function extension(oid: string, critical: boolean, value: Der): Der {
  return der.sequence(der.oid(oid), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}

function alternativeName(host: string): Der {
  switch (isIP(host)) {
    case 4:
      return der.implicit(7, Buffer.from(host.split('.').map(Number)));
    case 6:
      return der.implicit(7, ipv6Bytes(host));
    default:
      return der.implicit(2, Buffer.from(host));
  }
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const middle = Array<string>(8 - left.length - right.length).fill('0');
  const bytes = Buffer.alloc(16);
  for (const [i, group] of [...left, ...middle, ...right].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2);
  return bytes;
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

/** The subject's DER, copied from the certificate so that issuer and subject match byte for byte. */
function subjectOf(certPem: string): Der {
  const certificate = Buffer.from(certPem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const body = children(children(certificate)[0]!);
  // version, serial, algorithm, issuer, validity, subject; version is absent in X.509 v1 only.
  return body[body[0]![0] === 0xa0 ? 5 : 4]!;
}

function children(value: Buffer): Buffer[] {
  const items: Buffer[] = [];
  for (let at = header(value).start; at < value.length; ) {
    const { start, length } = header(value.subarray(at));
    items.push(value.subarray(at, at + start + length));
    at += start + length;
  }
  return items;
}

function header(value: Buffer): { start: number; length: number } {
  const first = value[1]!;
  if (first < 0x80) return { start: 2, length: first };
  const size = first & 0x7f;
  return { start: 2 + size, length: value.readUIntBE(2, size) };
}

function pem(label: string, data: Buffer): string {
  return `-----BEGIN ${label}-----\n${data.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END ${label}-----\n`;
}
