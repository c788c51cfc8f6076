import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import {
  type AddressPolicy,
  checkHost,
  errorMessage,
  guardedLookup,
  isJsonObject,
  parseJson,
  type Resolve,
  renderJson,
  SupercargoError,
} from '../base/index.ts';
import type { LookUp } from '../policy/index.ts';

class ServiceCallError extends SupercargoError {}

export interface ServiceCallLimits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Also allows loopback, link-local and metadata addresses: for a single machine (`supercargo up`) only. */
  readonly allowAnyAddress: boolean;
  /** Lets the functions of CEL call private addresses. Calls of classic rules always may: services are there. */
  readonly httpPrivateAddresses: boolean;
  /** How names become addresses; as the system does if absent. */
  readonly resolve?: Resolve | undefined;
}

type ServiceCall = Extract<LookUp, { readonly kind: 'serviceCall' }>;

/** Calls a service that a policy names, once and without following redirects. The response must be JSON. */
export async function callService(call: ServiceCall, limits: ServiceCallLimits, signal: AbortSignal): Promise<unknown> {
  const url = parseUrl(call.url);
  const addresses: AddressPolicy = { denyPrivate: call.asLibrary === true && !limits.httpPrivateAddresses };
  if (!limits.allowAnyAddress) checkHost(url.hostname, addresses);
  const body = call.method === 'POST' ? renderJson(call.data ?? {}) : undefined;
  const options: RequestOptions & { ca?: string } = {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...call.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]),
    // The socket connects to the address that was checked.
    ...(limits.allowAnyAddress ? {} : { lookup: guardedLookup(addresses, limits.resolve) }),
    ...(call.caBundle ? { ca: call.caBundle } : {}),
  };
  const where = `${url.protocol}//${url.host}`;
  try {
    const response = await send(
      url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options),
      body,
    );
    const text = await readText(response, limits.maxResponseBytes);
    const { statusCode = 0 } = response;
    if (call.asLibrary) return wholeAnswer(text, statusCode);
    if (statusCode < 200 || statusCode > 299) throw failed(`${where} responded with status ${statusCode}`);
    return parseResponse(text, where);
  } catch (thrown) {
    if (thrown instanceof SupercargoError) throw thrown;
    throw failed(`${where} could not be called: ${errorMessage(thrown)}`);
  }
}

const failed = (message: string) => new ServiceCallError('look-up-service', message, { retry: 'backoff' });

function parseUrl(text: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // The error below does not quote the text: it may contain a password.
  }
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    throw new ServiceCallError('look-up-service', 'the URL of a service must be http or https, without credentials');
  return url;
}

function send(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    request.end(body);
  });
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw failed(`the response is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString();
}

/** The body with the status; what is no object is wrapped, and what is no JSON is null. */
function wholeAnswer(text: string, statusCode: number): unknown {
  let body: unknown = null;
  try {
    body = parseJson(text);
  } catch {
    // The policy sees that there is no body.
  }
  return isJsonObject(body) ? { ...body, statusCode } : { body, statusCode };
}

function parseResponse(text: string, where: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw failed(`the response of ${where} is not JSON`);
  }
}
