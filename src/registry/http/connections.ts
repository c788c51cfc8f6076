import type { LookupFunction } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type AddressPolicy, checkHost, guardedLookup, type Resolve } from '../../base/index.ts';
import { bulkExchange } from './bulk-exchange.ts';
import { createDirectConnections } from './direct-connections.ts';
import {
  type HttpConnections,
  type HttpLimits,
  type HttpRequest,
  type HttpResponse,
  isStream,
  type StreamedRequest,
} from './exchange.ts';
import { type ProxySettings, proxyFor } from './proxy.ts';

export interface TlsSettings {
  /** Certificate authorities trusted besides the system's, PEM. */
  readonly ca?: string | undefined;
  /** Accepts any certificate. */
  readonly isInsecure?: boolean;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

interface ConnectionOptions extends HttpLimits {
  readonly proxy: ProxySettings;
  /** The system's authorities, to which `ca` is added: Node would otherwise replace them. */
  readonly systemCa: () => readonly string[];
  /** Addresses that may be connected to. Hosts in `isConfiguredHost` include their port: `name:5000`. */
  readonly addresses: AddressPolicy;
  /** Replaces the system's resolver. */
  readonly resolve?: Resolve | undefined;
}

interface ConnectionRequest extends StreamedRequest {
  readonly tls: TlsSettings;
  /** The request or response body is large and uses its own connection where possible. */
  readonly isBulk: boolean;
}

/** Connections shared by all requests with the same TLS settings and proxy. */
export type Connections = HttpConnections<ConnectionRequest>;

export function createConnections(options: ConnectionOptions): Connections {
  const { connectTimeoutMs, idleTimeoutMs, systemCa } = options;
  const direct = new Map<string, HttpConnections>();
  const proxied = new Map<string, Promise<HttpConnections<StreamedRequest>>>();
  // Parsing all authorities takes tens of milliseconds: do it once per settings, not per connection.
  const contexts = new Map<string, SecureContext>();
  /** Undefined where Node's default context is enough, which is created only once. */
  const contextFor = ({ ca, certificate, key }: TlsSettings): SecureContext | undefined => {
    if (ca === undefined && certificate === undefined && key === undefined) return undefined;
    return once(contexts, JSON.stringify([ca, certificate, key]), () =>
      createSecureContext({
        ...(ca === undefined ? {} : { ca: [...systemCa(), ca] }),
        ...(certificate === undefined ? {} : { cert: certificate }),
        ...(key === undefined ? {} : { key }),
      }),
    );
  };
  const keyOf = ({ ca, isInsecure, certificate, key }: TlsSettings, proxy?: string) =>
    JSON.stringify([ca, isInsecure === true, certificate, key, proxy]);
  const settingsFor = (tls: TlsSettings) => ({
    secureContext: () => contextFor(tls),
    rejectUnauthorized: tls.isInsecure !== true,
    connectTimeoutMs,
    idleTimeoutMs,
  });

  async function sendThrough(proxy: string, request: ConnectionRequest): Promise<HttpResponse> {
    const { tls } = request;
    const connections = once(proxied, keyOf(tls, proxy), async () => {
      const { createProxiedConnections } = await import('./proxied-connections.ts');
      return createProxiedConnections({ ...settingsFor(tls), proxy });
    });
    return (await connections).send(request);
  }

  const sendDirectly = (tls: TlsSettings, request: HttpRequest) =>
    once(direct, keyOf(tls), () => createDirectConnections(settingsFor(tls))).send(request);

  const guarded = guardedLookup({ ...options.addresses, isConfiguredHost: undefined }, options.resolve);
  const unguarded = guardedLookup({ isConfiguredHost: () => true }, options.resolve);
  /** The lookup function for a connection to this address; throws when the address is not allowed. */
  const lookupFor = ({ host, hostname }: URL): LookupFunction => {
    if (options.addresses.isConfiguredHost?.(host) === true) return unguarded;
    checkHost(hostname, { ...options.addresses, isConfiguredHost: undefined });
    return guarded;
  };

  return {
    async send(request) {
      const { url, body, tls, isBulk } = request;
      const lookup = lookupFor(url);
      const proxy = proxyFor(url, options.proxy);
      if (proxy !== undefined) return sendThrough(proxy, request);
      const bulk = { ...request, ...settingsFor(tls), lookup };
      // The sender of an upload monitors it for stalls.
      if (isStream(body)) return bulkExchange({ ...bulk, body, idleTimeoutMs: 0 });
      const { body: _, ...read } = bulk;
      return (isBulk ? await bulkExchange(read) : undefined) ?? sendDirectly(tls, { ...request, body, lookup });
    },
    async close() {
      const opened = [...direct.values(), ...(await Promise.all(proxied.values()))];
      direct.clear();
      proxied.clear();
      await Promise.all(opened.map((connections) => connections.close()));
    },
  };
}

function once<V>(made: Map<string, V>, key: string, make: () => V): V {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}
