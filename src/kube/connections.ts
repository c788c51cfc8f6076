import { createSecureContext } from 'node:tls';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { ClusterConfig } from './cluster-config.ts';
import type { Credentials } from './credentials.ts';

interface ConnectionOptions {
  /** Connections for ordinary calls. Watches have their own, unlimited, so that they never block a write. */
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
}

/** The keep-alive connections to one server with one TLS identity. */
export interface Connections {
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

interface ConnectionPool {
  /** The connections for this TLS identity. A changed client certificate replaces them, and the old ones drain. */
  for(credentials: Credentials): Connections;
  /** Aborts active requests and closes every connection. */
  destroy(): Promise<void>;
}

// Go servers keep idle connections for minutes, load balancers in front of them often for only one. A shorter time in
// the server's Keep-Alive header applies.
const keepAliveTimeoutMs = 30_000;

export function createConnectionPool(config: ClusterConfig, options: ConnectionOptions): ConnectionPool {
  const { origin } = new URL(config.server);
  let current: { connections: Connections; certificate: string | undefined; key: string | undefined } | undefined;
  let isClosed = false;
  const all = new Set<Dispatcher>();

  const open = (trust: object, connections: number | null): Dispatcher => {
    const tls = {
      ...trust,
      ...(config.tls.serverName === undefined ? {} : { servername: config.tls.serverName }),
      rejectUnauthorized: config.tls.insecureSkipVerify !== true,
      timeout: options.connectTimeoutMs,
    };
    // The transport sets timeouts on the injected clock, so undici's own are off.
    const common = { connections, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: keepAliveTimeoutMs };
    const dispatcher =
      config.proxyUrl === undefined
        ? new Pool(origin, { ...common, connect: tls })
        : new ProxyAgent({ ...common, uri: config.proxyUrl, requestTls: tls });
    all.add(dispatcher);
    return dispatcher;
  };

  return {
    for(credentials) {
      if (isClosed) throw new Error('the client is closed');
      const { certificate, key } = credentials;
      if (current !== undefined && current.certificate === certificate && current.key === key) {
        return current.connections;
      }
      if (current !== undefined) {
        for (const old of [current.connections.calls, current.connections.watches]) {
          const forget = () => all.delete(old);
          void old.close().then(forget, forget);
        }
      }
      const trust = trustOf(config, credentials);
      const connections = { calls: open(trust, options.maxConnections), watches: open(trust, null) };
      current = { connections, certificate, key };
      return connections;
    },
    async destroy() {
      isClosed = true;
      await Promise.all([...all].map((dispatcher) => dispatcher.destroy()));
      all.clear();
    },
  };
}

/** What certificates are checked with, read once for all connections: it takes as long as the rest of connecting. */
function trustOf({ server, tls: { ca } }: ClusterConfig, { certificate, key }: Credentials): object {
  const read = {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  };
  if (!server.startsWith('https:')) return {};
  try {
    return { secureContext: createSecureContext(read) };
  } catch {
    // Each request fails with the reason.
    return read;
  }
}
