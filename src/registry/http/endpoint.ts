import { RegistryError, systemCode } from '../errors.ts';
import type { TlsSettings } from './connections.ts';
import { isLoopback } from './proxy.ts';

/** How to reach one registry. */
export interface RegistrySettings extends TlsSettings {
  /** HTTP without TLS. */
  readonly isPlainHttp?: boolean;
  /** Never falls back to plain HTTP, even where any certificate is accepted and on loopback. */
  readonly isTlsRequired?: boolean;
}

export interface Endpoint {
  readonly origin: string;
  readonly isSecure: boolean;
  readonly settings: RegistrySettings;
}

/** Returns the status of `/v2/`; throws when there is no response. */
type Ping = (url: URL, settings: RegistrySettings, signal: AbortSignal | undefined) => Promise<number>;

// Error codes of a TLS handshake with a server without TLS.
const noTls = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'UND_ERR_SOCKET',
  'ECONNRESET',
]);

/** The host of a registry name. Docker Hub's is another host. */
const hostOf = (registry: string) => (registry === 'docker.io' ? 'registry-1.docker.io' : registry);

/**
 * Finds the endpoint of a registry. TLS unless plain HTTP is configured. On loopback, and where any certificate is
 * accepted, plain HTTP is used when there is no TLS, as docker does.
 */
export async function findEndpoint(
  registry: string,
  settings: RegistrySettings,
  ping: Ping,
  signal: AbortSignal | undefined,
): Promise<Endpoint> {
  const host = hostOf(registry);
  const secure: Endpoint = { origin: `https://${host}`, isSecure: true, settings };
  const plain: Endpoint = { origin: `http://${host}`, isSecure: false, settings };
  if (!URL.canParse(secure.origin))
    throw new RegistryError('registry-usage', `${JSON.stringify(registry)} is not a registry`, { registry });
  if (settings.isPlainHttp) return plain;
  if (settings.isTlsRequired) return secure;
  const isHere = isLoopback(new URL(secure.origin).hostname);
  if (settings.isInsecure !== true && !isHere) return secure;
  const pingEndpoint = ({ origin }: Endpoint) => ping(new URL(`${origin}/v2/`), settings, signal);
  // On loopback nothing can be intercepted and most registries have no TLS, so plain HTTP is tried first.
  if (isHere && isRegistryStatus(await pingEndpoint(plain).catch(unlessRefused))) return plain;
  try {
    await pingEndpoint(secure);
    return secure;
  } catch (thrown) {
    const cause = thrown instanceof RegistryError ? thrown.cause : thrown;
    if (!noTls.has(systemCode(cause))) throw thrown;
    await pingEndpoint(plain);
    return plain;
  }
}

/** A TLS server responds to plain HTTP with a 400, or not at all. */
const isRegistryStatus = (status: number | undefined) => status === 200 || status === 401;

function unlessRefused(thrown: unknown): undefined {
  const cause = thrown instanceof RegistryError ? thrown.cause : thrown;
  if (!noTls.has(systemCode(cause)) && systemCode(cause) !== 'HPE_INVALID_CONSTANT') throw thrown;
}
