import { createHash, type Hash } from 'node:crypto';
import { ImageError, quote } from './errors.ts';

declare const digestBrand: unique symbol;
/** `sha256:` and 64 hexadecimal digits, or the longer forms of sha384 and sha512. */
export type Digest = string & { readonly [digestBrand]: true };

type DigestAlgorithm = 'sha256' | 'sha384' | 'sha512';

class DigestError extends ImageError {}

const hexLengths: Readonly<Record<DigestAlgorithm, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const form = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;

export function isDigest(text: string): text is Digest {
  return form.test(text);
}

export function parseDigest(text: string): Digest {
  if (isDigest(text)) return text;
  throw new DigestError('image-digest-invalid', `${quote(text)} is no digest: ${whyNot(text)}`);
}

function whyNot(text: string): string {
  const colon = text.indexOf(':');
  if (colon <= 0) return 'a digest is an algorithm, a colon and hexadecimal digits, as in sha256:…';
  const algorithm = text.slice(0, colon);
  if (!Object.hasOwn(hexLengths, algorithm))
    return `the algorithm ${quote(algorithm)} is not supported; sha256, sha384 and sha512 are`;
  const hex = text.slice(colon + 1);
  const length = hexLengths[algorithm as DigestAlgorithm];
  if (hex.length !== length) return `${algorithm} has ${length} hexadecimal digits, not ${hex.length}`;
  return 'its digits must be 0-9 and a-f, in lower case';
}

export const digestAlgorithm = (digest: Digest) => digest.slice(0, digest.indexOf(':')) as DigestAlgorithm;
export const digestHex = (digest: Digest) => digest.slice(digest.indexOf(':') + 1);

/** The digest of complete bytes. */
export function digestOf(bytes: Uint8Array | string, algorithm: DigestAlgorithm = 'sha256'): Digest {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}` as Digest;
}

/** Computes the digest of bytes that arrive in pieces. */
export interface Hasher {
  readonly size: number;
  update(bytes: Uint8Array): void;
  /** The digest so far; more bytes may follow. */
  digest(): Digest;
}

export function createHasher(algorithm: DigestAlgorithm = 'sha256'): Hasher {
  const hash: Hash = createHash(algorithm);
  let size = 0;
  return {
    get size() {
      return size;
    },
    update(bytes) {
      hash.update(bytes);
      size += bytes.length;
    },
    digest: () => `${algorithm}:${hash.copy().digest('hex')}` as Digest,
  };
}
