import { invalid } from '../errors.ts';
import type { PlainObject } from '../values.ts';
import { bitsOf, children, type DerValue, integerOf, malformed, oidOf, readOne, tags } from './der.ts';
import { define, type FunctionSpec } from './signature.ts';
import { certificateExtensions, readExtensions, requestNames } from './x509-extensions.ts';
import { distinguishedName, timeOf } from './x509-name.ts';
import { requestAttributes, signatureAlgorithm } from './x509-request.ts';

/** A PEM certificate or certificate request with an RSA key, in the shape and names of Go's crypto/x509 as JSON. */
export const x509Functions: readonly FunctionSpec[] = [
  define('x509_decode', ['string'], (run, text: string) => {
    run.chargeText(text.length * 16);
    const { type, bytes } = firstBlock(text);
    if (type === 'CERTIFICATE') return certificate(bytes);
    if (type === 'CERTIFICATE REQUEST') return request(bytes);
    throw invalid('PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST');
  }),
];

const rsaEncryption = '1.2.840.113549.1.1.1';

function firstBlock(text: string): { type: string; bytes: Buffer } {
  const found = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/.exec(text);
  if (!found?.[1]) throw invalid('failed to decode PEM block');
  return { type: found[1], bytes: Buffer.from(found[2] as string, 'base64') };
}

function certificate(bytes: Buffer): PlainObject {
  const whole = readOne(bytes);
  const [tbs, algorithm, signature] = children(whole);
  const fields = children(tbs);
  const version = fields[0]?.tag === 0xa0 ? Number(integerOf(readOne((fields.shift() as DerValue).content))) : 0;
  const [serial, , issuer, validity, subject, key, ...optional] = fields;
  const [notBefore, notAfter] = children(validity);
  const extensions = optional.find(({ tag }) => tag === 0xa3);
  return {
    Raw: base64(whole),
    RawTBSCertificate: base64(tbs),
    RawSubjectPublicKeyInfo: base64(key),
    RawSubject: base64(subject),
    RawIssuer: base64(issuer),
    Signature: bitsOf(signature).toString('base64'),
    SignatureAlgorithm: signatureAlgorithm(algorithm),
    PublicKeyAlgorithm: 1,
    PublicKey: rsaKey(key),
    Version: version + 1,
    SerialNumber: Number(integerOf(serial)),
    Issuer: distinguishedName(issuer),
    Subject: distinguishedName(subject),
    NotBefore: timeOf(notBefore),
    NotAfter: timeOf(notAfter),
    ...certificateExtensions(extensions === undefined ? [] : readExtensions(readOne(extensions.content))),
  };
}

function request(bytes: Buffer): PlainObject {
  const whole = readOne(bytes);
  const [info, algorithm, signature] = children(whole);
  const [version, subject, key, attributes] = children(info);
  return {
    Raw: base64(whole),
    RawTBSCertificateRequest: base64(info),
    RawSubjectPublicKeyInfo: base64(key),
    RawSubject: base64(subject),
    Version: Number(integerOf(version)),
    Signature: bitsOf(signature).toString('base64'),
    SignatureAlgorithm: signatureAlgorithm(algorithm),
    PublicKeyAlgorithm: 1,
    PublicKey: rsaKey(key),
    Subject: distinguishedName(subject),
    ...requestNames(requestAttributes(attributes)),
  };
}

function rsaKey(info: DerValue | undefined): PlainObject {
  const [algorithm, bits] = children(info);
  if (oidOf(children(algorithm)[0]).join('.') !== rsaEncryption) throw invalid('certificate should use rsa algorithm');
  const [modulus, exponent] = children(readOne(bitsOf(bits)));
  return { N: String(integerOf(modulus)), E: Number(integerOf(exponent)) };
}

function base64(value: DerValue | undefined): string {
  if (value?.tag !== tags.sequence) throw malformed();
  return value.whole.toString('base64');
}
