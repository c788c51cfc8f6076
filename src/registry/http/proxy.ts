import { BlockList, isIP } from 'node:net';

/** Proxy settings, as in the usual environment variables. */
export interface ProxySettings {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  /** Names, domains, addresses and networks that are reached directly, separated by commas; `*` matches everything. */
  readonly noProxy?: string | undefined;
}

/** Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in upper or lower case. */
export function proxyFromEnvironment(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  return { httpProxy: read('HTTP_PROXY'), httpsProxy: read('HTTPS_PROXY'), noProxy: read('NO_PROXY') };
}

/** The proxy for a URL; undefined where it is reached directly. Loopback always is. */
export function proxyFor(url: URL, settings: ProxySettings): string | undefined {
  const proxy = url.protocol === 'https:' ? settings.httpsProxy : settings.httpProxy;
  if (proxy === undefined || isLoopback(url.hostname)) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = (settings.noProxy ?? '').split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== '' && isCovered(entry, bare(url.hostname), port)) ? undefined : proxy;
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '').toLowerCase();

function isCovered(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(entry, host);
  const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const domain = bare(name).replace(/^\*?\./, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(entry: string, host: string): boolean {
  const [network = '', prefix = ''] = entry.split('/');
  const [family, wanted] = [isIP(host), isIP(network)];
  const bits = Number(prefix);
  if (family === 0 || family !== wanted || !/^\d+$/.test(prefix) || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}

/** True for names and addresses of loopback. */
export function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}
