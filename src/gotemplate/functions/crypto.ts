import { createDecipheriv, createHash, createHmac, scryptSync } from 'node:crypto';
import { CallFailure } from '../errors.ts';
import type { Run } from '../run.ts';
import { decodeUtf8, encodeUtf8 } from '../utf8.ts';
import { defineRunning, type FunctionSpec } from './signature.ts';

/** What one password derivation costs: some tens of milliseconds. */
const derivationSteps = 200_000;

export const cryptoFunctions: readonly FunctionSpec[] = defineRunning({
  'sha1sum(string)': (run, text: string) => hash(run, 'sha1', text),
  'sha256sum(string)': (run, text: string) => hash(run, 'sha256', text),
  'sha512sum(string)': (run, text: string) => hash(run, 'sha512', text),
  'adler32sum(string)': (run, text: string) => {
    run.charge(text.length);
    return adler32(encodeUtf8(text));
  },
  'derivePassword(uint32, string, string, string, string)': derivePassword,
  'decryptAES(string, string)': decrypt,
});

function hash(run: Run, algorithm: string, text: string): string {
  run.charge(text.length);
  return createHash(algorithm).update(encodeUtf8(text)).digest('hex');
}

function adler32(bytes: Uint8Array): string {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return `${b * 65_536 + a}`;
}

const keyOf = (password: string) => {
  const key = Buffer.alloc(32);
  encodeUtf8(password).copy(key);
  return key;
};

function decrypt(run: Run, password: string, encrypted: string): string {
  run.charge(encrypted.length);
  const bytes = Buffer.from(encrypted, 'base64');
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new CallFailure('the text is not encrypted with AES');
  const decipher = createDecipheriv('aes-256-cbc', keyOf(password), bytes.subarray(0, 16));
  try {
    return decodeUtf8(Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]));
  } catch {
    throw new CallFailure('the text is not encrypted with this password');
  }
}

/** The templates and alphabets of the Master Password algorithm, which this function is. */
const passwordTemplates: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: (
    'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
    'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
    'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno'
  ).split(' '),
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};
const digits = '0123456789';
const consonants = 'BCDFGHJKLMNPQRSTVWXYZ';
const passwordAlphabets: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: consonants,
  v: 'aeiou',
  c: consonants.toLowerCase(),
  A: `AEIOU${consonants}`,
  a: `AEIOUaeiou${consonants}${consonants.toLowerCase()}`,
  n: digits,
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: `AEIOUaeiou${consonants}${consonants.toLowerCase()}${digits}!@#$%^&*()`,
};

function derivePassword(run: Run, counter: number, type: string, password: string, user: string, site: string): string {
  const templates = Object.hasOwn(passwordTemplates, type) ? passwordTemplates[type]! : undefined;
  if (!templates) return `cannot find password template ${type}`;
  run.step(derivationSteps);
  const prefixed = (text: string) => {
    const bytes = encodeUtf8(text);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    return Buffer.concat([Buffer.from('com.lyndir.masterpassword'), size, bytes]);
  };
  const key = scryptSync(encodeUtf8(password), prefixed(user), 64, { N: 32_768, r: 8, p: 2, maxmem: 128 * 1_048_576 });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const seed = createHmac('sha256', key).update(prefixed(site)).update(count).digest();
  const template = templates[seed[0]! % templates.length]!;
  return [...template].map((c, i) => passwordAlphabets[c]![seed[i + 1]! % passwordAlphabets[c]!.length]).join('');
}
