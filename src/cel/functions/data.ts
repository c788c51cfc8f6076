import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { errorMessage, isJsonObject, parseJson, parseYaml, renderJson, setOwn } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import type { CelLibrary } from '../library.ts';
import {
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  opaqueType,
  stringType,
  structType,
} from '../types.ts';
import { checkSize } from '../values/effort.ts';
import { toDocument } from '../values/json.ts';
import { findKey, isMap } from '../values/map.ts';
import {
  Abnormal,
  CelBytes,
  type CelDouble,
  CelError,
  CelObject,
  double,
  doubleOf,
  noSuchOverload,
} from '../values/values.ts';
import { declare, form, member } from './declare.ts';

/** Kyverno's functions on data that is at hand. Many of them go by two names, with and without their library's. */

export const jsonLibraryType = opaqueType('json.Json');
export const yamlLibraryType = opaqueType('yaml.Yaml');
export const randomLibraryType = opaqueType('kyverno.random');
export const x509LibraryType = opaqueType('kyverno.x509');

const hash = (name: 'sha1' | 'sha256' | 'md5') => {
  const of = (text: string) => createHash(name).update(text).digest('hex');
  return [
    declare(name, form(`${name}_string_non_prefixed`, [stringType], stringType, of)),
    declare(`hash.${name}`, form(`${name}_string_prefixed`, [stringType], stringType, of)),
  ];
};

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return new CelError(errorMessage(thrown));
  }
}

// Go's encoder writes these characters escaped, and sorts keys.
const escaped = /[<>&\u2028\u2029]/g;

function marshal(_: CelLibrary, value: unknown): unknown {
  const document = toDocument(value);
  if (document instanceof Abnormal) return document;
  const text = renderJson(sorted(document));
  return text.replace(escaped, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setOwn(result, key, sorted(value[key]));
  return result;
}

/** Characters that one document may have. */
const maxDocument = 4 << 20;

function unmarshal(_: CelLibrary, text: unknown): unknown {
  if (typeof text !== 'string') return noSuchOverload;
  checkSize(text.length * 16);
  return attempt(() => parseJson(text.slice(0, maxDocument + 1)));
}

function parse(_: CelLibrary, text: string): unknown {
  checkSize(text.length * 64);
  return attempt(() => parseYaml(text));
}

const maxUnzipped = 16 << 20;

function decompress({ bytes }: CelBytes): unknown {
  return attempt(() => {
    const text = gunzipSync(bytes, { maxOutputLength: maxUnzipped }).toString();
    checkSize(text.length * 16);
    return text;
  });
}

function compress(value: unknown): unknown {
  if (typeof value !== 'string') return noSuchOverload;
  checkSize(value.length * 64);
  return new CelBytes(new Uint8Array(gzipSync(value)));
}

/** Rounded half away from zero, as Go rounds. */
function round(value: number | CelDouble, digits: number | bigint) {
  const shift = 10 ** Number(digits);
  const scaled = doubleOf(value) * shift;
  return double((Math.sign(scaled) * Math.round(Math.abs(scaled))) / shift);
}

/** Two lists of objects side by side: a field of the one gives the key, a field of the other the value. */
function listObjToMap(keys: readonly unknown[], values: readonly unknown[], key: string, value: string): unknown {
  if (keys.length !== values.length) {
    return new CelError('both lists passed to listObjToMap must have the same length');
  }
  checkSize(keys.length * 16);
  const result: Record<string, unknown> = {};
  for (const [i, from] of keys.entries()) {
    const name = isMap(from) ? findKey(from, key) : undefined;
    if (typeof name !== 'string') {
      return new CelError('the passed key name cannot be handled as a string in the key object list');
    }
    const to = values[i];
    if (!isMap(to)) return new CelError('object cannot be handled as a map string to any in the value object list');
    setOwn(result, name, findKey(to, value) ?? null);
  }
  return result;
}

const listPair = [listType(dynType), listType(dynType), stringType, stringType];
const anyMap = mapType(dynType, dynType);

const serviceAccountType = structType('user.ServiceAccount', { Name: stringType, Namespace: stringType });
const accountPrefix = 'system:serviceaccount:';

/** The ServiceAccount that a user name is; empty for any other. */
function parseServiceAccount(user: string): CelObject {
  const rest = user.startsWith(accountPrefix) ? user.slice(accountPrefix.length) : '';
  const colon = rest.indexOf(':');
  const account =
    colon < 0 ? { Name: '', Namespace: '' } : { Name: rest.slice(colon + 1), Namespace: rest.slice(0, colon) };
  return new CelObject(serviceAccountType.name, account);
}

const defaultPattern = '[0-9a-z]{8}';

/** In all environments of Kyverno's own kinds. */
export const dataFunctions: readonly FunctionDecl[] = [
  ...hash('sha1'),
  ...hash('sha256'),
  ...hash('md5'),
  declare('marshal', member('marshal_dyn_string', [jsonLibraryType, dynType], stringType, marshal)),
  declare('unmarshal', member('unmarshal_string_dyn', [jsonLibraryType, dynType], dynType, unmarshal)),
  declare('parse', member('parse_string_dyn', [yamlLibraryType, stringType], dynType, parse)),
  declare('gzip.decompress', form('decompress_bytes_string', [bytesType], stringType, decompress)),
  declare('gzip.compress', form('compress_any_bytes', [dynType], bytesType, compress)),
  declare('math.round', form('math_round_float_int', [doubleType, intType], doubleType, round)),
  declare('listObjToMap', form('list_of_object_to_map_non_prefixed', listPair, anyMap, listObjToMap)),
  declare('transform.listObjToMap', form('list_of_object_to_map_prefixed', listPair, anyMap, listObjToMap)),
  declare(
    'random',
    member('random_string', [randomLibraryType, stringType], stringType, ({ host }: CelLibrary, pattern: string) =>
      host.randomText(pattern),
    ),
    member('random_string_default_expr', [randomLibraryType], stringType, ({ host }: CelLibrary) =>
      host.randomText(defaultPattern),
    ),
  ),
  declare(
    'decode',
    member('x509_decode_string', [x509LibraryType, stringType], dynType, ({ host }: CelLibrary, text: string) =>
      host.decodeCertificate(text),
    ),
  ),
];

/** In policies that judge and change what users write. */
export const userFunctions: readonly FunctionDecl[] = [
  declare(
    'parseServiceAccount',
    form('parse_service_account_string_non_prefixed', [stringType], serviceAccountType, parseServiceAccount),
  ),
  declare(
    'user.parseServiceAccount',
    form('parse_service_account_string_prefixed', [stringType], serviceAccountType, parseServiceAccount),
  ),
];
