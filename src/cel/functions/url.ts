import { setOwn } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { boolType, listType, mapType, opaqueType, stringType } from '../types.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, form, member } from './declare.ts';

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class CelUrl extends CelOpaque {
  readonly typeName = 'kubernetes.URL';
  readonly size = 1;
  constructor(
    readonly text: string,
    readonly parts: Parts,
  ) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelUrl ? this.text === other.text : undefined;
  }
}

export const urlType = opaqueType('kubernetes.URL');

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const control = /[\x00-\x1f\x7f]/;
const badEscape = /%(?![0-9a-fA-F]{2})/;
const hostForm = /^(?:\[[0-9a-fA-F:.%]+\]|[^\s"<>[\]{}|\\^`/?#:@]*)(?::\d*)?$/;

/** As Go's url.ParseRequestURI: an absolute URL or an absolute path. The words of a refusal, or the parts. */
export function parseUrl(text: string): Parts | string {
  const refuse = (why: string) => `parse ${JSON.stringify(text)}: ${why}`;
  if (control.test(text)) return refuse('net/url: invalid control character in URL');
  if (text === '') return refuse('empty url');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined && /^[^/?#]*:/.test(text)) {
    return refuse(text.startsWith(':') ? 'missing protocol scheme' : 'first path segment in URL cannot contain colon');
  }
  const rest = scheme === undefined ? text : text.slice(scheme.length + 1);
  const [beforeFragment = ''] = rest.split('#');
  const mark = beforeFragment.indexOf('?');
  const main = mark < 0 ? beforeFragment : beforeFragment.slice(0, mark);
  const query = mark < 0 ? '' : beforeFragment.slice(mark + 1);
  if (!main.startsWith('/')) {
    return scheme === undefined
      ? refuse('invalid URI for request')
      : { scheme: scheme.toLowerCase(), host: '', path: '', query };
  }
  return parseHierarchy(main, scheme?.toLowerCase() ?? '', query, refuse);
}

function parseHierarchy(main: string, scheme: string, query: string, refuse: (why: string) => string): Parts | string {
  let path = main;
  let host = '';
  if (main.startsWith('//') && (scheme !== '' || !main.startsWith('///'))) {
    const slash = main.indexOf('/', 2);
    const authority = slash < 0 ? main.slice(2) : main.slice(2, slash);
    path = slash < 0 ? '' : main.slice(slash);
    host = authority.slice(authority.lastIndexOf('@') + 1);
    if (/[\s"<>\\^`{|}]/.test(host))
      return refuse(`invalid character ${JSON.stringify(/[\s"<>\\^`{|}]/.exec(host)?.[0])} in host name`);
    if (!hostForm.test(host)) {
      const port = host.slice(host.lastIndexOf(':'));
      return refuse(`invalid port ${JSON.stringify(port)} after host`);
    }
  }
  const bad = badEscape.exec(path);
  if (bad) return refuse(`invalid URL escape ${JSON.stringify(path.slice(bad.index, bad.index + 3))}`);
  return { scheme, host, path, query };
}

function toUrl(text: string): CelUrl | CelError {
  const parts = parseUrl(text);
  if (typeof parts !== 'string') return new CelUrl(text, parts);
  return new CelError(`URL parse error during conversion from string: ${parts}`);
}

const hostname = ({ host }: Parts) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
const port = ({ host }: Parts) => /:(\d*)$/.exec(host)?.[1] ?? '';

/** Only the characters that a path must not contain are escaped; what is escaped already stays. */
const escapedPath = ({ path }: Parts) =>
  path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]/gu, (character) => encodeURIComponent(character));

function queryOf({ query }: Parts): Readonly<Record<string, readonly string[]>> {
  const values: Record<string, string[]> = {};
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';') || badEscape.test(part)) continue;
    const [name = '', ...rest] = part.split('=');
    const key = decode(name);
    const known = Object.hasOwn(values, key) ? (values[key] ?? []) : [];
    setOwn(values, key, [...known, decode(rest.join('='))]);
  }
  return values;
}

function decode(text: string): string {
  const bytes = Buffer.from(
    text
      .replaceAll('+', ' ')
      .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return /%/.test(text) ? bytes.toString('utf8') : text.replaceAll('+', ' ');
}

const getters: Readonly<Record<string, { readonly id: string; readonly get: (parts: Parts) => unknown }>> = {
  getScheme: { id: 'url_get_scheme', get: ({ scheme }) => scheme },
  getHost: { id: 'url_get_host', get: ({ host }) => host },
  getHostname: { id: 'url_get_hostname', get: hostname },
  getPort: { id: 'url_get_port', get: port },
  getEscapedPath: { id: 'url_get_escaped_path', get: escapedPath },
};

export const urlFunctions: readonly FunctionDecl[] = [
  declare('url', form('string_to_url', [stringType], urlType, toUrl)),
  declare(
    'isURL',
    form('is_url_string', [stringType], boolType, (text: string) => typeof parseUrl(text) !== 'string'),
  ),
  ...Object.entries(getters).map(([name, { id, get }]) =>
    declare(
      name,
      member(id, [urlType], stringType, ({ parts }: CelUrl) => get(parts)),
    ),
  ),
  declare(
    'getQuery',
    member('url_get_query', [urlType], mapType(stringType, listType(stringType)), ({ parts }: CelUrl) =>
      queryOf(parts),
    ),
  ),
];
