import type { PlainObject } from '../values.ts';
import { bitsOf, children, type DerValue, integerOf, isTrue, malformed, oidOf, readAll, readOne, tags } from './der.ts';
import { generalNames, nameConstraints, urisOf } from './x509-general-name.ts';
import type { RequestAttributes } from './x509-request.ts';

export interface Extension {
  readonly id: readonly number[];
  readonly isCritical: boolean;
  readonly value: Buffer;
}

export function readExtensions(list: DerValue): Extension[] {
  return children(list).map((item) => {
    const parts = children(item);
    const value = parts.at(-1);
    if (value?.tag !== tags.octetString) throw malformed();
    return { id: oidOf(parts[0]), isCritical: parts.length === 3 && isTrue(parts[1]), value: value.content };
  });
}

/** What Go makes of the extensions it knows; each reader adds fields to those of a certificate that has none. */
const readers: Readonly<Record<string, (value: DerValue, extension: Extension) => PlainObject>> = {
  '2.5.29.15': (value) => ({ KeyUsage: keyUsage(bitsOf(value)) }),
  '2.5.29.19': basicConstraints,
  '2.5.29.17': (value) => generalNames(readAll(value.content)),
  '2.5.29.30': (value, { isCritical }) => ({ ...nameConstraints(value), PermittedDNSDomainsCritical: isCritical }),
  '2.5.29.31': (value) => ({ CRLDistributionPoints: orNull(children(value).flatMap(distributionUris)) }),
  '2.5.29.35': (value) => ({ AuthorityKeyId: keyId(children(value).find(({ tag }) => tag === 0x80)) }),
  '2.5.29.14': (value) => ({ SubjectKeyId: keyId(value) }),
  '2.5.29.37': extendedKeyUsage,
  '2.5.29.32': policies,
  '2.5.29.33': (value) => ({ PolicyMappings: children(value).map(policyMapping) }),
  '2.5.29.36': policyConstraints,
  '2.5.29.54': (value) => skipCount('InhibitAnyPolicy', integerOf(value)),
  '1.3.6.1.5.5.7.1.1': authorityInformation,
};

const withoutExtensions: PlainObject = {
  ...Object.fromEntries(
    [
      'ExtraExtensions',
      'UnhandledCriticalExtensions',
      'ExtKeyUsage',
      'UnknownExtKeyUsage',
      'SubjectKeyId',
      'AuthorityKeyId',
      'OCSPServer',
      'IssuingCertificateURL',
      'DNSNames',
      'EmailAddresses',
      'IPAddresses',
      'URIs',
      'PermittedDNSDomains',
      'ExcludedDNSDomains',
      'PermittedIPRanges',
      'ExcludedIPRanges',
      'PermittedEmailAddresses',
      'ExcludedEmailAddresses',
      'PermittedURIDomains',
      'ExcludedURIDomains',
      'CRLDistributionPoints',
      'PolicyIdentifiers',
      'Policies',
      'PolicyMappings',
    ].map((field) => [field, null]),
  ),
  KeyUsage: 0,
  BasicConstraintsValid: false,
  IsCA: false,
  MaxPathLen: 0,
  MaxPathLenZero: false,
  PermittedDNSDomainsCritical: false,
  ...skipCount('InhibitAnyPolicy', undefined),
  ...skipCount('InhibitPolicyMapping', undefined),
  ...skipCount('RequireExplicitPolicy', undefined),
};

export function certificateExtensions(extensions: readonly Extension[]): PlainObject {
  const result: Record<string, unknown> = { ...withoutExtensions, Extensions: renderExtensions(extensions) };
  const unhandled: (readonly number[])[] = [];
  for (const extension of extensions) {
    const reader = readers[extension.id.join('.')];
    if (reader) Object.assign(result, reader(readOne(extension.value), extension));
    else if (extension.isCritical) unhandled.push(extension.id);
  }
  return unhandled.length === 0 ? result : { ...result, UnhandledCriticalExtensions: unhandled };
}

export function requestNames({ attributes, extensions }: RequestAttributes): PlainObject {
  const names = extensions.find(({ id }) => id.join('.') === '2.5.29.17');
  return {
    Attributes: attributes,
    Extensions: renderExtensions(extensions),
    ExtraExtensions: null,
    ...generalNames(names === undefined ? [] : readAll(readOne(names.value).content)),
  };
}

function renderExtensions(extensions: readonly Extension[]): PlainObject[] | null {
  return orNull(
    extensions.map(({ id, isCritical, value }) => ({ Id: id, Critical: isCritical, Value: value.toString('base64') })),
  );
}

function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list;
}

/** The first bit of the string is the lowest of the number. */
function keyUsage(bits: Buffer): number {
  let usage = 0;
  for (let i = 0; i < Math.min(9, bits.length * 8); i++)
    if ((bits[i >> 3] as number) & (0x80 >> (i & 7))) usage |= 1 << i;
  return usage;
}

function basicConstraints(value: DerValue): PlainObject {
  const parts = children(value);
  const length = parts.find(({ tag }) => tag === tags.integer);
  const max = length === undefined ? -1 : Number(integerOf(length));
  return { BasicConstraintsValid: true, IsCA: isTrue(parts[0]), MaxPathLen: max, MaxPathLenZero: max === 0 };
}

function distributionUris(point: DerValue): string[] {
  const name = children(point).find(({ tag }) => tag === 0xa0);
  const full = name === undefined ? undefined : readAll(name.content).find(({ tag }) => tag === 0xa0);
  return full === undefined ? [] : urisOf(readAll(full.content));
}

function keyId(value: DerValue | undefined): string | null {
  return value === undefined ? null : value.content.toString('base64');
}

const usages = new Map(
  [
    '2.5.29.37.0',
    '1.3.6.1.5.5.7.3.1',
    '1.3.6.1.5.5.7.3.2',
    '1.3.6.1.5.5.7.3.3',
    '1.3.6.1.5.5.7.3.4',
    '1.3.6.1.5.5.7.3.5',
    '1.3.6.1.5.5.7.3.6',
    '1.3.6.1.5.5.7.3.7',
    '1.3.6.1.5.5.7.3.8',
    '1.3.6.1.5.5.7.3.9',
    '1.3.6.1.4.1.311.10.3.3',
    '2.16.840.1.113730.4.1',
    '1.3.6.1.4.1.311.2.1.22',
    '1.3.6.1.4.1.311.61.1.1',
  ].map((oid, number) => [oid, number] as const),
);

function extendedKeyUsage(value: DerValue): PlainObject {
  const oids = children(value).map(oidOf);
  const known = oids.map((oid) => usages.get(oid.join('.')));
  return {
    ExtKeyUsage: orNull(known.filter((usage) => usage !== undefined)),
    UnknownExtKeyUsage: orNull(oids.filter((_, i) => known[i] === undefined)),
  };
}

function policies(value: DerValue): PlainObject {
  const oids = children(value).map((policy) => oidOf(children(policy)[0]));
  return { PolicyIdentifiers: oids, Policies: oids.map((oid) => oid.join('.')) };
}

function policyMapping(value: DerValue): PlainObject {
  const [issuer, subject] = children(value).map(oidOf);
  return { IssuerDomainPolicy: issuer?.join('.'), SubjectDomainPolicy: subject?.join('.') };
}

function policyConstraints(value: DerValue): PlainObject {
  const counts = children(value).map(({ tag, content }) => ({ tag, count: BigInt(`0x${content.toString('hex')}`) }));
  return {
    ...skipCount('RequireExplicitPolicy', counts.find(({ tag }) => tag === 0x80)?.count),
    ...skipCount('InhibitPolicyMapping', counts.find(({ tag }) => tag === 0x81)?.count),
  };
}

/** Go tells "none" from "zero" with a second field. */
function skipCount(name: string, count: bigint | undefined): PlainObject {
  return { [name]: Number(count ?? 0n), [`${name}Zero`]: count === 0n };
}

function authorityInformation(value: DerValue): PlainObject {
  const entries = children(value).map((entry) => {
    const [method, location] = children(entry);
    return { method: oidOf(method).join('.'), uris: location === undefined ? [] : urisOf([location]) };
  });
  const of = (method: string) => orNull(entries.filter((entry) => entry.method === method).flatMap(({ uris }) => uris));
  return { OCSPServer: of('1.3.6.1.5.5.7.48.1'), IssuingCertificateURL: of('1.3.6.1.5.5.7.48.2') };
}
