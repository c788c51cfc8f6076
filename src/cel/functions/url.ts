import type { FunctionDecl } from '../environment.ts';
import { boolType, listType, mapType, opaqueType, stringType } from '../types.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, form, member } from './declare.ts';
import { escapedPath, type GoUrl, parseGoUrl, parseRequestUri, queryParameters, splitHost } from './go-url.ts';

class CelUrl extends CelOpaque {
  readonly typeName = 'kubernetes.URL';
  readonly size = 1;
  constructor(readonly parts: GoUrl) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelUrl ? canonical(this.parts) === canonical(other.parts) : undefined;
  }
}

const canonical = (parts: GoUrl) => JSON.stringify({ ...parts, path: escapedPath(parts) });

export const urlType = opaqueType('kubernetes.URL');

/** It must be what a request may have; only then fragments are told apart. */
function toUrl(text: string): CelUrl | CelError {
  const requested = parseRequestUri(text);
  const parts = typeof requested === 'string' ? requested : parseGoUrl(text);
  if (typeof parts !== 'string') return new CelUrl(parts);
  return new CelError(`URL parse error during conversion from string: ${parts}`);
}

const queryOf = (parts: GoUrl): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(queryParameters(parts));

const getters: Readonly<Record<string, { readonly id: string; readonly get: (parts: GoUrl) => unknown }>> = {
  getScheme: { id: 'url_get_scheme', get: ({ scheme }) => scheme },
  getHost: { id: 'url_get_host', get: ({ host }) => host },
  getHostname: { id: 'url_get_hostname', get: (parts) => splitHost(parts).hostname },
  getPort: { id: 'url_get_port', get: (parts) => splitHost(parts).port },
  getEscapedPath: { id: 'url_get_escaped_path', get: escapedPath },
};

export const urlFunctions: readonly FunctionDecl[] = [
  declare('url', form('string_to_url', [stringType], urlType, toUrl)),
  declare(
    'isURL',
    form('is_url_string', [stringType], boolType, (text: string) => typeof parseRequestUri(text) !== 'string'),
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
