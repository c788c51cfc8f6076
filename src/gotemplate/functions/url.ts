import { CallFailure } from '../errors.ts';
import { quote } from '../format/quote.ts';
import { decodeUtf8 } from '../utf8.ts';
import { createDict, type Dict, dictGet, kindOf, type Value } from '../values.ts';
import { nilDereference } from './convert.ts';
import { escapeBytes } from './escape.ts';
import { define, type FunctionSpec } from './signature.ts';

export const urlFunctions: readonly FunctionSpec[] = define({
  'urlParse(string)': (text: string) => Object.assign(createDict(), parseUrl(text)),
  'urlJoin(dict)': joinUrl,
});

interface Url {
  readonly scheme: string;
  readonly userinfo: string;
  readonly host: string;
  readonly hostname: string;
  readonly path: string;
  readonly query: string;
  readonly opaque: string;
  readonly fragment: string;
}

/** The parts of a URL as Go's net/url tells them apart. */
function parseUrl(text: string): Url {
  const refuse = (why: string) => new CallFailure(`unable to parse url: parse ${quote(text)}: ${why}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (/[\0-\x1f\x7f]/.test(text)) throw refuse('net/url: invalid control character in URL');
  const [beforeFragment, fragment] = cut(text, '#');
  if (beforeFragment === '' && text === '') return emptyUrl;
  const { scheme, rest } = splitScheme(beforeFragment, refuse);
  const [body, query] = cut(rest, '?');
  const decoded = decodePercent(fragment, refuse);
  if (!body.startsWith('/') && scheme !== '') {
    return { ...emptyUrl, scheme, opaque: body, query, fragment: decoded };
  }
  if (!body.startsWith('/') && cut(body, '/')[0].includes(':'))
    throw refuse('first path segment in URL cannot contain colon');
  let authority = '';
  let path = body;
  if (body.startsWith('//') && (scheme !== '' || !body.startsWith('///'))) {
    const slash = body.indexOf('/', 2);
    authority = slash === -1 ? body.slice(2) : body.slice(2, slash);
    path = slash === -1 ? '' : body.slice(slash);
  }
  const at = authority.lastIndexOf('@');
  const rawHost = authority.slice(at + 1);
  const badCharacter =
    /[\0-\x7f]/.test(rawHost) && /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\x80-\u{10ffff}]/u.exec(rawHost);
  if (badCharacter) throw refuse(`invalid character ${quote(badCharacter[0])} in host name`);
  const host = decodePercent(rawHost, refuse);
  const userinfo = at === -1 ? '' : normaliseUser(authority.slice(0, at), refuse);
  checkPort(host, refuse);
  const hostname = host.replace(/:[^\]:]*$/, '').replace(/^\[(.*)\]$/, '$1');
  return { scheme, userinfo, host, hostname, path: decodePercent(path, refuse), query, opaque: '', fragment: decoded };
}

const emptyUrl: Url = {
  scheme: '',
  userinfo: '',
  host: '',
  hostname: '',
  path: '',
  query: '',
  opaque: '',
  fragment: '',
};
type Refuse = (why: string) => CallFailure;

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function splitScheme(text: string, refuse: Refuse): { readonly scheme: string; readonly rest: string } {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (found) return { scheme: found[1]!.toLowerCase(), rest: text.slice(found[0].length) };
  if (text.startsWith(':')) throw refuse('missing protocol scheme');
  return { scheme: '', rest: text };
}

function checkPort(host: string, refuse: Refuse): void {
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) throw refuse(`invalid port ${quote(`:${port}`)} after host`);
}

function decodePercent(text: string, refuse: Refuse): string {
  const bad = /%(?![0-9a-fA-F]{2})/.exec(text);
  if (bad) throw refuse(`invalid URL escape ${quote(text.slice(bad.index, bad.index + 3))}`);
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(
    text.replace(/%([0-9a-fA-F]{2})|([^%]+)/g, (_, hex: string, plain: string) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : Buffer.from(plain).toString('latin1'),
    ),
    'latin1',
  );
  return decodeUtf8(bytes);
}

const userCharacters = /[A-Za-z0-9\-_.~$&+,;=]/;

function normaliseUser(text: string, refuse: Refuse): string {
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(text)) throw refuse('net/url: invalid userinfo');
  return text.includes(':')
    ? cut(text, ':')
        .map((part) => escapeBytes(decodePercent(part, refuse), userCharacters))
        .join(':')
    : escapeBytes(decodePercent(text, refuse), userCharacters);
}

function joinUrl(parts: Dict | undefined): string {
  const part = (key: keyof Url) => textPart(parts, key);
  const [scheme, host, opaque, query, fragment] = [
    part('scheme'),
    part('host'),
    part('opaque'),
    part('query'),
    part('fragment'),
  ];
  const userinfo = part('userinfo');
  const user = userinfo === '' ? '' : `${parseUrl(`proto://${userinfo}@host`).userinfo}@`;
  let url = scheme === '' ? '' : `${scheme}:`;
  let path = escapeBytes(part('path'), /[A-Za-z0-9\-_.~$&+,/:;=@!'()*]/);
  if (opaque !== '') url += opaque;
  else {
    if (host !== '' || user !== '') url += `//${user}${escapeBytes(host, /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/)}`;
    if (path !== '' && !path.startsWith('/') && host !== '') path = `/${path}`;
    if (url === '' && /^[^/]*:/.test(path)) path = `./${path}`;
    url += path;
  }
  if (query !== '') url += `?${query}`;
  return fragment === '' ? url : `${url}#${escapeBytes(fragment, /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/)}`;
}

function textPart(parts: Dict | undefined, key: string): string {
  const value: Value = parts ? dictGet(parts, key) : undefined;
  if (value === undefined) return '';
  if (value === null) throw nilDereference();
  if (typeof value === 'string') return value;
  throw new CallFailure(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`);
}
