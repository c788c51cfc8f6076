import { RegistryError, systemCode } from '../errors.ts';
import type { TlsSettings } from './connections.ts';
import { isLoopback } from './proxy.ts';

/** How one registry is reached. */
export interface RegistrySettings extends TlsSettings {
  /** Speaks HTTP without TLS. */
  readonly isPlainHttp?: boolean;
  /** Never falls back to plain HTTP, also where any certificate is trusted and on this machine. */
  readonly isTlsRequired?: boolean;
}

export interface Endpoint {
  readonly origin: string;
  readonly isSecure: boolean;
  readonly settings: RegistrySettings;
}

/** The status that `/v2/` answers with; throws when nobody answers. */
export type Ping = (url: URL, settings: RegistrySettings, signal: AbortSignal | undefined) => Promise<number>;

// What a server without TLS makes of a TLS greeting.
const noTls = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'UND_ERR_SOCKET',
  'ECONNRESET',
]);

/** The address behind a registry's name. Docker Hub's is another host. */
export const hostOf = (registry: string) => (registry === 'docker.io' ? 'registry-1.docker.io' : registry);

/**
 * Finds out how to speak to a registry. TLS, unless it is set to plain HTTP; on this machine, and where any certificate
 * is trusted, plain HTTP too when there is no TLS, as docker does.
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
    throw new RegistryError('registry-usage', `${JSON.stringify(registry)} is no registry`, { registry });
  if (settings.isPlainHttp) return plain;
  if (settings.isTlsRequired) return secure;
  const isHere = isLoopback(new URL(secure.origin).hostname);
  if (settings.isInsecure !== true && !isHere) return secure;
  const ask = ({ origin }: Endpoint) => ping(new URL(`${origin}/v2/`), settings, signal);
  // On this machine nobody listens in, and most registries there speak plainly: they are asked so first.
  if (isHere && isRegistryAnswer(await ask(plain).catch(unlessRefused))) return plain;
  try {
    await ask(secure);
    return secure;
  } catch (thrown) {
    const cause = thrown instanceof RegistryError ? thrown.cause : thrown;
    if (!noTls.has(systemCode(cause))) throw thrown;
    await ask(plain);
    return plain;
  }
}

/** A server with TLS answers a plain question with a 400, or not at all. */
const isRegistryAnswer = (status: number | undefined) => status === 200 || status === 401;

function unlessRefused(thrown: unknown): undefined {
  const cause = thrown instanceof RegistryError ? thrown.cause : thrown;
  if (!noTls.has(systemCode(cause)) && systemCode(cause) !== 'HPE_INVALID_CONSTANT') throw thrown;
}
