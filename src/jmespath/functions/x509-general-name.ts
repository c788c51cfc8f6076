import type { PlainObject } from '../values.ts';
import { children, type DerValue, malformed, readAll } from './der.ts';

const email = 0x81;
const dns = 0x82;
const uri = 0x86;
const ip = 0x87;

/** The alternative names of a subject. */
export function generalNames(names: readonly DerValue[]): PlainObject {
  return {
    DNSNames: textsOf(names, dns),
    EmailAddresses: textsOf(names, email),
    IPAddresses: orNull(names.filter(({ tag }) => tag === ip).map(({ content }) => renderAddress(content))),
    URIs: orNull(urisOf(names).map(renderUrl)),
  };
}

export function urisOf(names: readonly DerValue[]): string[] {
  return textsOf(names, uri) ?? [];
}

/** The trees of names a CA may or may not speak for. */
export function nameConstraints(value: DerValue): PlainObject {
  const trees = (tag: number) =>
    children(value)
      .filter((part) => part.tag === tag)
      .flatMap((part) => readAll(part.content))
      .map((tree) => children(tree)[0])
      .filter((name) => name !== undefined);
  return Object.fromEntries(
    (
      [
        ['Permitted', 0xa0],
        ['Excluded', 0xa1],
      ] as const
    ).flatMap(([prefix, tag]) => [
      [`${prefix}DNSDomains`, textsOf(trees(tag), dns)],
      [`${prefix}EmailAddresses`, textsOf(trees(tag), email)],
      [`${prefix}URIDomains`, textsOf(trees(tag), uri)],
      [
        `${prefix}IPRanges`,
        orNull(
          trees(tag)
            .filter((name) => name.tag === ip)
            .map(renderRange),
        ),
      ],
    ]),
  );
}

function textsOf(names: readonly DerValue[], wanted: number): string[] | null {
  return orNull(names.filter(({ tag }) => tag === wanted).map(({ content }) => content.toString('latin1')));
}

function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list;
}

function renderRange({ content }: DerValue): PlainObject {
  const half = content.length / 2;
  return { IP: renderAddress(content.subarray(0, half)), Mask: content.subarray(half).toString('base64') };
}

/** Dotted, or the short form of RFC 5952. */
function renderAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw malformed();
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return bytes.subarray(12).join('.');
  const text = groups.map((group) => group.toString(16)).join(':');
  const zeros = [...text.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)].sort((a, b) => b[0].length - a[0].length)[0];
  if (!zeros) return text;
  const before = text.slice(0, zeros.index).replace(/:$/, '');
  const after = text.slice(zeros.index + zeros[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

/** The fields of Go's url.URL. */
function renderUrl(text: string): PlainObject {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text);
  if (!found) throw malformed();
  const [, scheme = '', authority, path = '', query, fragment = ''] = found;
  const at = authority?.lastIndexOf('@') ?? -1;
  const isOpaque = authority === undefined && !path.startsWith('/');
  return {
    Scheme: scheme.toLowerCase(),
    Opaque: isOpaque ? path : '',
    User: at === -1 ? null : {},
    Host: authority?.slice(at + 1) ?? '',
    Path: isOpaque ? '' : decode(path),
    RawPath: '',
    OmitHost: false,
    ForceQuery: query === '',
    RawQuery: query ?? '',
    Fragment: decode(fragment),
    RawFragment: '',
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}
