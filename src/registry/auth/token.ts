import { isJsonObject, parseJson } from '../../base/index.ts';
import { badResponse, errorFromRefusal, RegistryError, type RequestLine, safeUrl } from '../errors.ts';
import type { Challenge } from '../http/challenge.ts';
import { isLoopback } from '../http/proxy.ts';
import type { Credential } from './credentials.ts';

/** A plain HTTP exchange with a small response. */
export type SmallExchange = (request: {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly registry: string;
  readonly signal: AbortSignal | undefined;
}) => Promise<{ readonly status: number; readonly text: string; readonly retryAfterMs: number | undefined }>;

interface Token {
  readonly token: string;
  readonly lifetimeMs: number;
}

interface TokenRequest {
  readonly registry: string;
  /** True when the registry itself is reached over TLS. */
  readonly isSecure: boolean;
  readonly challenge: Challenge;
  readonly scopes: readonly string[];
  readonly credential: Credential | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Docker's specification: a token without `expires_in` is valid for 60 seconds. */
const defaultLifetimeSeconds = 60;

/** Gets a token from the server in the registry's challenge. */
export async function fetchToken(exchange: SmallExchange, request: TokenRequest): Promise<Token> {
  const { registry, challenge, scopes, credential, signal } = request;
  const url = realmOf(request);
  const { service } = challenge.parameters;
  const parameters = new URLSearchParams();
  if (service !== undefined && service !== '') parameters.set('service', service);
  if (credential?.kind === 'identity') {
    parameters.set('scope', scopes.join(' '));
    parameters.set('grant_type', 'refresh_token');
    parameters.set('refresh_token', credential.token);
    parameters.set('client_id', 'supercargo');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await exchange({ method: 'POST', url, headers, body: String(parameters), registry, signal });
    return parseToken(response, { registry, method: 'POST', url: safeUrl(url) });
  }
  for (const scope of scopes) parameters.append('scope', scope);
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  const headers = credential?.kind === 'basic' ? { authorization: basicHeader(credential) } : {};
  const response = await exchange({ method: 'GET', url, headers, registry, signal });
  return parseToken(response, { registry, method: 'GET', url: safeUrl(url) });
}

export const basicHeader = ({ username, password }: { readonly username: string; readonly password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function realmOf({ registry, isSecure, challenge, credential }: TokenRequest): URL {
  const realm = challenge.parameters['realm'] ?? '';
  const refuse = (why: string) =>
    new RegistryError('registry-bad-response', `${registry} names a token server ${why}`, { registry });
  if (!URL.canParse(realm)) throw refuse('whose address is not valid');
  const url = new URL(realm);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('that does not speak HTTP');
  if (url.username !== '' || url.password !== '') throw refuse('with a user name in its address');
  if (url.protocol === 'http:' && isSecure)
    throw refuse(`without TLS (${safeUrl(url)}); the password is not sent there`);
  // Without TLS, an attacker on the network may have set the realm.
  if (!isSecure && credential !== undefined && !isSameHost(url, registry))
    throw refuse(`on another host (${safeUrl(url)}) over a connection without TLS; the password is not sent there`);
  return url;
}

function isSameHost({ hostname }: URL, registry: string): boolean {
  const home = new URL(`http://${registry}`).hostname;
  return hostname === home || (isLoopback(hostname) && isLoopback(home));
}

function parseToken(
  response: { readonly status: number; readonly text: string; readonly retryAfterMs: number | undefined },
  line: RequestLine,
): Token {
  const { status, retryAfterMs } = response;
  if (status !== 200)
    throw errorFromRefusal(line, { status, retryAfterMs, registryMessage: 'the token server refused' });
  let body: unknown;
  try {
    body = parseJson(response.text);
  } catch {
    // Not quoted: it may contain a token.
    throw badResponse(line, 'the token server did not respond with JSON', status);
  }
  const { token, access_token: access, expires_in: seconds } = isJsonObject(body) ? body : {};
  const text = [token, access].find((value): value is string => typeof value === 'string' && value !== '');
  if (text === undefined) throw badResponse(line, 'the response of the token server contains no token', status);
  const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds : defaultLifetimeSeconds;
  return { token: text, lifetimeMs: lifetime * 1000 };
}
