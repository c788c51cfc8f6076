import { quoteGo } from '../../base/index.ts';
import { parseAddress } from './ip-address.ts';

/** What Go's net/url makes of a text. */
export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: string | undefined;
  readonly host: string;
  /** As it was written. */
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string;
}

class UrlMistake extends Error {}

const attempt = <T>(text: string, parse: () => T): T | string => {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof UrlMistake) return `parse ${quoteGo(text)}: ${thrown.message}`;
    throw thrown;
  }
};

/** As url.ParseRequestURI: an absolute URL or an absolute path; a refusal is its words. */
export const parseRequestUri = (text: string): GoUrl | string => attempt(text, () => parse(text, true));

/** As url.Parse, which knows fragments. */
export function parseGoUrl(text: string): GoUrl | string {
  const [body, fragment] = cut(text, '#');
  const url = attempt(body, () => parse(body, false));
  if (typeof url === 'string' || fragment === '') return url;
  return attempt(text, () => ({ ...url, fragment: percentDecoded(fragment, 'other') }));
}

function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const control = /[\x00-\x1f\x7f]/;
const nothing = { scheme: '', opaque: '', user: undefined, host: '', path: '', query: undefined, fragment: '' };

function parse(text: string, isRequest: boolean): GoUrl {
  if (control.test(text)) throw new UrlMistake('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new UrlMistake('empty url');
  if (text === '*') return { ...nothing, path: '*' };
  if (text.startsWith(':')) throw new UrlMistake('missing protocol scheme');
  const [, written] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text) ?? [];
  const scheme = written?.toLowerCase() ?? '';
  const behind = written === undefined ? text : text.slice(written.length + 1);
  const [main, parameters] = cut(behind, '?');
  const url = { ...nothing, scheme, query: behind === main ? undefined : parameters };
  if (!main.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: main };
    if (isRequest) throw new UrlMistake('invalid URI for request');
    if (cut(main, '/')[0].includes(':')) throw new UrlMistake('first path segment in URL cannot contain colon');
  }
  const hasAuthority = main.startsWith('//') && (scheme !== '' || (!isRequest && !main.startsWith('///')));
  const slash = hasAuthority ? main.indexOf('/', 2) : 0;
  const path = slash < 0 ? '' : main.slice(slash);
  const authority = hasAuthority ? main.slice(2, slash < 0 ? undefined : slash) : '';
  const whole = { ...url, ...parseAuthority(scheme, authority), path };
  percentDecoded(path, 'other');
  return whole;
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlMistake('net/url: invalid userinfo');
  for (const part of cut(user, ':')) percentDecoded(part, 'other');
  return { user, host };
}

const portForm = /^(?::[0-9]*)?$/;

function checkPort(port: string): void {
  if (!portForm.test(port)) throw new UrlMistake(`invalid port ${quoteGo(port)} after host`);
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlMistake('invalid IP-literal');
  if (open === 0) return parseLiteral(host);
  // Colons in a host are none of http, but lists of hosts of other schemes have them.
  const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return percentDecoded(host, 'host');
}

/** An IPv6 address in brackets. */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlMistake("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inside = host.slice(1, close);
  const zone = inside.indexOf('%25');
  const name =
    zone < 0
      ? percentDecoded(inside, 'host')
      : percentDecoded(inside.slice(0, zone), 'host') + percentDecoded(inside.slice(zone), 'zone');
  const parsed = parseAddress(name);
  if (typeof parsed === 'string') throw new UrlMistake(`invalid host: ${parsed}`);
  if (parsed.address.bits === 32) throw new UrlMistake('invalid IP-literal');
  return `[${name}]${port}`;
}

const hostCharacter = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;

/** Percent signs and what follows them as bytes; what a part of a URL must not contain is refused. */
function percentDecoded(text: string, part: 'host' | 'zone' | 'query' | 'other'): string {
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '%') {
      const escaped = text.slice(i, i + 3);
      if (!/^%[0-9a-fA-F]{2}$/.test(escaped) || isRefused(escaped, part))
        // Three bytes are shown, not three characters.
        throw new UrlMistake(`invalid URL escape ${quoteGo(Buffer.from(escaped).subarray(0, 3).toString())}`);
      i += 2;
    } else if ((part === 'host' || part === 'zone') && c < '\x80' && !hostCharacter.test(c)) {
      throw new UrlMistake(`invalid character ${quoteGo(c)} in host name`);
    }
  }
  const spaced = part === 'query' ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

/** Hosts may escape what is not ASCII, and zones what they might write. */
function isRefused(escaped: string, part: 'host' | 'zone' | 'query' | 'other'): boolean {
  if (escaped === '%25') return false;
  const byte = Number.parseInt(escaped.slice(1), 16);
  if (part === 'host') return byte < 0x80;
  return part === 'zone' && byte !== 0x20 && !hostCharacter.test(String.fromCharCode(byte));
}

/** Only what must not stand in a path is escaped; a path that has none of it stays as it was written. */
export function escapedPath({ path }: GoUrl): string {
  if (path === '*' || /^[A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]*$/.test(path)) return path;
  return percentDecoded(path, 'other').replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

export function splitHost({ host }: GoUrl): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && portForm.test(host.slice(colon));
  const hostname = hasPort ? host.slice(0, colon) : host;
  const port = hasPort ? host.slice(colon + 1) : '';
  return { hostname: /^\[.*\]$/s.test(hostname) ? hostname.slice(1, -1) : hostname, port };
}

/** Go reads no query of more parameters. */
const maxParameters = 10_000;

/** Names with their values in order; what cannot be read is left out. */
export function queryParameters({ query = '' }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  const parts = query.split('&');
  if (parts.length > maxParameters) return values;
  for (const part of parts) {
    if (part === '' || part.includes(';')) continue;
    const read = attempt(part, () => cut(part, '=').map((text) => percentDecoded(text, 'query')));
    if (typeof read === 'string') continue;
    const [name = '', value = ''] = read;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}
