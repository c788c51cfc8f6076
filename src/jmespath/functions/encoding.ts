import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';
import { parseFiniteJson } from '../finite-json.ts';
import type { Run } from '../run.ts';
import { define, type FunctionSpec } from './signature.ts';

/** Kyverno's functions between texts and their encodings, and digests of texts. */
export const encodingFunctions: readonly FunctionSpec[] = [
  define('base64_encode', ['string'], (run, text: string) => {
    run.chargeText(text.length * 2);
    return Buffer.from(text, 'utf8').toString('base64');
  }),
  define('base64_decode', ['string'], (run, text: string) => {
    run.chargeText(text.length);
    const packed = text.replace(/[\r\n]/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed) || packed.length % 4 !== 0) throw invalid('illegal base64 data');
    return Buffer.from(packed, 'base64').toString('utf8');
  }),
  jsonParser('parse_json'),
  digest('sha256', 'sha256'),
  digest('sha1', 'sha1'),
  digest('md5', 'md5'),
  // Ours: policies in the field expect a `hash`, and Kyverno has none.
  digest('hash', 'sha256'),
];

/** Assertion trees know it by another name. */
export function jsonParser(name: string): FunctionSpec {
  return define(name, ['string'], (run: Run, text: string) => {
    run.chargeText(text.length);
    try {
      return parseFiniteJson(text);
    } catch (thrown) {
      throw invalid((thrown as Error).message, thrown);
    }
  });
}

function digest(name: string, algorithm: 'sha256' | 'sha1' | 'md5'): FunctionSpec {
  return define(name, ['string'], (run: Run, text: string) => {
    run.chargeText(text.length);
    return createHash(algorithm).update(text, 'utf8').digest('hex');
  });
}
