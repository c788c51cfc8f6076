import { type LookupAddress, type LookupOptions, lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SupercargoError } from './errors.ts';

/**
 * The kind of network that an address belongs to, by IANA's special-purpose registries and the metadata addresses of
 * clouds. `translated` are the IPv6 forms that contain an IPv4 address, `reserved` are those that no server on the
 * Internet has.
 */
export type AddressClass =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'unspecified'
  | 'translated'
  | 'reserved'
  | 'invalid';

/** The first match decides, so that a metadata address inside a private range is classified as metadata. */
const table: readonly (readonly [AddressClass, readonly string[]])[] = [
  [
    'metadata',
    [
      '169.254.169.254/32',
      '100.100.100.200/32', // Alibaba Cloud
      '168.63.129.16/32', // Azure
      '192.0.0.192/32', // Oracle Cloud
      'fd00:ec2::/32', // AWS: metadata, pod identity, time, DNS
      'fd20:ce::/32', // Google Cloud
      'fd00:42::42/128', // Scaleway
    ],
  ],
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['multicast', ['224.0.0.0/4', '255.255.255.255/32', 'ff00::/8']],
  // Clusters assign 198.18.0.0/15 and 240.0.0.0/4 to nodes and pods.
  [
    'private',
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', '240.0.0.0/4', 'fc00::/7'],
  ],
  [
    'translated',
    ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
  ],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '2001::/23',
      '2001:db8::/32',
      '3fff::/20',
    ],
  ],
  ['public', ['0.0.0.0/0', '2000::/3']],
];

/** Made when first used: most commands never ask for the class of an address. */
const makeLists = () =>
  table.map(([kind, ranges]) => {
    const v4 = new BlockList();
    const v6 = new BlockList();
    for (const range of ranges) {
      const [network = '', bits = ''] = range.split('/');
      if (isIP(network) === 4) v4.addSubnet(network, Number(bits), 'ipv4');
      else v6.addSubnet(network, Number(bits), 'ipv6');
    }
    return { kind, v4, v6 };
  });
let madeLists: ReturnType<typeof makeLists> | undefined;

function listOf(isListed: (list: ReturnType<typeof makeLists>[number]) => boolean): AddressClass {
  madeLists ??= makeLists();
  return madeLists.find(isListed)?.kind ?? 'reserved';
}

/** The class of an IP address in any spelling; `invalid` for a name. IPv6 outside the allocated space is `reserved`. */
export function classifyAddress(address: string): AddressClass {
  const text = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(text);
  if (family === 0) return 'invalid';
  if (family === 4) return listOf(({ v4 }) => v4.check(text, 'ipv4'));
  const words = wordsOf(text);
  const kind = classifyWords(words, text);
  if (kind !== 'translated' || words[0] !== 0x64 || words[2] !== 0) return kind;
  // An IPv6-only cluster reaches IPv4 servers through the well-known prefix (RFC 6052), which is for public ones only.
  const embedded = [words[6]! >> 8, words[6]! & 255, words[7]! >> 8, words[7]! & 255].join('.');
  return classifyAddress(embedded) === 'public' ? 'public' : 'translated';
}

function classifyWords(words: readonly number[], text: string): AddressClass {
  // BlockList compares an IPv4-mapped address with IPv4 rules, so these prefixes are compared here.
  if (words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff) return 'translated';
  return listOf(({ v6 }) => v6.check(text, 'ipv6'));
}

/** The eight 16-bit words of a valid IPv6 address. */
function wordsOf(text: string): number[] {
  // The URL parser normalises every spelling to one canonical form, without a dotted IPv4 part.
  const [left = '', right] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [head, tail] = [parse(left), parse(right ?? '')];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Which addresses an untrusted host name may resolve to. The default: public and private ones. */
export interface AddressPolicy {
  /** For commands that a user runs on their own machine. */
  readonly allowLoopback?: boolean | undefined;
  /** Also rejects private ranges. */
  readonly denyPrivate?: boolean | undefined;
  /** Hosts that the administrator configured by name may have any address. */
  readonly isConfiguredHost?: ((host: string) => boolean) | undefined;
}

export function isAllowedAddress(address: string, policy: AddressPolicy = {}): boolean {
  switch (classifyAddress(address)) {
    case 'public':
      return true;
    case 'private':
      return policy.denyPrivate !== true;
    case 'loopback':
      return policy.allowLoopback === true;
    default:
      return false;
  }
}

/** A host whose address must not be connected to. A retry does not help. */
export class AddressError extends SupercargoError {}

export function forbiddenAddress(host: string, address: string): AddressError {
  const kind = classifyAddress(address);
  const what = host === address ? `${host} is a ${kind} address` : `${host} resolves to a ${kind} address`;
  return new AddressError('address-forbidden', `${what}, which may not be connected to`);
}

/** Throws for a host that is written as a forbidden address. Sockets do not resolve such hosts. */
export function checkHost(host: string, policy: AddressPolicy): void {
  const text = host.replace(/^\[|\]$/g, '');
  if (isIP(text) === 0 || policy.isConfiguredHost?.(text) === true) return;
  if (!isAllowedAddress(text, policy)) throw forbiddenAddress(text, text);
}

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets that returns only allowed addresses. The socket connects to the checked address, so a name
 * that later resolves differently (DNS rebinding) has no effect. Use `checkHost` too, for literal addresses.
 */
export function guardedLookup(policy: AddressPolicy, resolve: Resolve = resolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const isConfigured = policy.isConfiguredHost?.(hostname) === true;
      const allowed = isConfigured ? addresses : addresses.filter(({ address }) => isAllowedAddress(address, policy));
      const [first] = allowed;
      if (!first) return callback(forbiddenAddress(hostname, addresses[0]?.address ?? ''), '');
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** Whether an origin, or `http://` and a Host header, names this machine. False for a name that needs DNS. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname, username, password, pathname } = new URL(origin);
  if (username !== '' || password !== '' || (pathname !== '/' && pathname !== '')) return false;
  return hostname === 'localhost' || hostname.endsWith('.localhost') || classifyAddress(hostname) === 'loopback';
}
