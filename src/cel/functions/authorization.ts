import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { isJsonObject } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import type { CelLibrary } from '../library.ts';
import { dynType, intType, listType, mapType, opaqueType, stringType } from '../types.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, member } from './declare.ts';
import { httpLibraryType } from './look-ups.ts';

/** What policies answer requests of proxies with, and the tokens in such requests. */

export const envoyLibraryType = opaqueType('envoy.Context');
export const jwtLibraryType = opaqueType('jwt.Context');
const answerType = opaqueType('authorization.Answer');
const responseType = opaqueType('authorization.Response');

/** An answer: what a builder makes, and the response that it ends with. */
export class CelAnswer extends CelOpaque {
  readonly size = 1;
  constructor(
    readonly typeName: string,
    readonly isAllowed: boolean,
    readonly message: string,
  ) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelAnswer
      ? this.isAllowed === other.isAllowed && this.message === other.message
      : undefined;
  }
}

const answer = (isAllowed: boolean, message: string) => new CelAnswer(answerType.name, isAllowed, message);
const same = (built: CelAnswer) => built;

/** Headers, queries and metadata change how the proxy goes on, not whether it does. */
const details = [
  ['WithHeader', 2],
  ['WithoutHeader', 1],
  ['WithResponseHeader', 2],
  ['WithQueryParam', 2],
  ['WithoutQueryParam', 1],
] as const;

const attributes = mapType(stringType, dynType);

/** The values of a field of a request, whose names differ in case at most. */
function valuesOf(of: Readonly<Record<string, unknown>>, field: string, name: string, ignoresCase: boolean) {
  const all = isJsonObject(of[field]) ? of[field] : {};
  const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text);
  const found = Object.entries(all).find(([key]) => fold(key) === fold(name))?.[1];
  return Array.isArray(found) ? found : found === undefined ? [] : [found];
}

type Call = (...args: never[]) => unknown;
const texts = (count: number) => Array.from({ length: count }, () => stringType);

export const authorizationFunctions: readonly FunctionDecl[] = [
  declare(
    'Allowed',
    member('http_allowed', [httpLibraryType], answerType, () => answer(true, '')),
    member('envoy_allowed', [envoyLibraryType], answerType, () => answer(true, '')),
  ),
  declare(
    'Denied',
    member('http_denied', [httpLibraryType, stringType], answerType, ((_: unknown, text: string) =>
      answer(false, text)) as Call),
    member('envoy_denied', [envoyLibraryType, intType], answerType, ((_: unknown, code: number) =>
      answer(false, `denied with status ${code}`)) as Call),
  ),
  declare(
    'WithBody',
    member('answer_with_body', [answerType, stringType], answerType, ((built: CelAnswer, text: string) =>
      built.isAllowed ? built : answer(false, text)) as Call),
  ),
  ...details.map(([name, count]) =>
    declare(name, member(`answer_${name}`, [answerType, ...texts(count)], answerType, same as Call)),
  ),
  declare(
    'Response',
    member(
      'answer_response',
      [answerType],
      responseType,
      (({ isAllowed, message }: CelAnswer) => new CelAnswer(responseType.name, isAllowed, message)) as Call,
    ),
  ),
  declare(
    'WithMessage',
    member(
      'response_with_message',
      [responseType, stringType],
      responseType,
      ((built: CelAnswer, text: string) => new CelAnswer(responseType.name, built.isAllowed, text)) as Call,
    ),
  ),
  declare('WithMetadata', member('response_with_metadata', [responseType, dynType], responseType, same as Call)),
  declare(
    'Header',
    member('attributes_header', [attributes, stringType], listType(stringType), ((
      of: Readonly<Record<string, unknown>>,
      name: string,
    ) => valuesOf(of, 'header', name, true)) as Call),
  ),
  declare(
    'QueryParam',
    member('attributes_query', [attributes, stringType], listType(stringType), ((
      of: Readonly<Record<string, unknown>>,
      name: string,
    ) => valuesOf(of, 'query', name, false)) as Call),
  ),
  declare(
    'Decode',
    member('jwt_decode', [jwtLibraryType, stringType, stringType], dynType, ((
      { host }: CelLibrary,
      token: string,
      key: string,
    ) => decodeToken(token, key, host.now() / 1000)) as Call),
  ),
];

/** A signed token: its claims, and whether its signature and its times hold. */
function decodeToken(token: string, key: string, seconds: number): unknown {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  const [header, claims] = [partOf(head), partOf(body)];
  if (!header || !claims || signature === '' || rest.length > 0) return new CelError('token is malformed');
  const isSigned = checkSignature(String(header['alg'] ?? ''), `${head}.${body}`, signature, key);
  const { exp, nbf } = claims;
  const isInTime = (typeof exp !== 'number' || seconds < exp) && (typeof nbf !== 'number' || seconds >= nbf);
  return { Valid: isSigned && isInTime, Header: header, Claims: claims };
}

function partOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A PEM key never counts as a shared secret: its public half is no secret. */
function checkSignature(algorithm: string, signed: string, signature: string, key: string): boolean {
  const [, family = '', bits = ''] = /^(HS|RS|PS|ES)(256|384|512)$/.exec(algorithm) ?? [];
  const given = Buffer.from(signature, 'base64url');
  const isPem = key.includes('-----BEGIN');
  if (family === 'HS') {
    if (isPem) return false;
    const own = createHmac(`sha${bits}`, key).update(signed).digest();
    return own.length === given.length && timingSafeEqual(own, given);
  }
  if (family === '' || !isPem) return false;
  try {
    const publicKey = createPublicKey(key);
    if ((publicKey.asymmetricKeyType === 'ec') !== (family === 'ES')) return false;
    // 6 is RSA_PKCS1_PSS_PADDING.
    const options = {
      key: publicKey,
      ...(family === 'ES' ? { dsaEncoding: 'ieee-p1363' as const } : {}),
      ...(family === 'PS' ? { padding: 6 } : {}),
    };
    return verify(`sha${bits}`, Buffer.from(signed), options, given);
  } catch {
    return false;
  }
}
