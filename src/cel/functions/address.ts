import { quoteGo } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { boolType, intType, opaqueType, stringType } from '../types.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, form, member } from './declare.ts';
import { type Address, parseAddress } from './ip-address.ts';

class CelIp extends CelOpaque {
  readonly typeName = 'net.IP';
  constructor(readonly address: Address) {
    super();
  }
  get size(): number {
    return this.address.bits / 8;
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelIp ? sameAddress(this.address, other.address) : undefined;
  }
}

class CelCidr extends CelOpaque {
  readonly typeName = 'net.CIDR';
  constructor(
    readonly address: Address,
    readonly prefix: number,
  ) {
    super();
  }
  get size(): number {
    return Math.ceil(this.prefix / 8);
  }
  equals(other: unknown): boolean | undefined {
    if (!(other instanceof CelCidr)) return undefined;
    return this.prefix === other.prefix && sameAddress(this.address, other.address);
  }
}

export const ipType = opaqueType('net.IP');
export const cidrType = opaqueType('net.CIDR');

const sameAddress = (a: Address, b: Address) => a.bits === b.bits && a.value === b.value;

/** IPv4 with dots, IPv6 in its shortest form. */
function renderAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

const isMapped = ({ bits, value }: Address) => bits === 128 && value >> 32n === 0xffffn;

function parseIp(text: string): CelIp | CelError {
  const parsed = parseAddress(text);
  if (typeof parsed === 'string')
    return new CelError(`IP Address ${quoteGo(text)} parse error during conversion from string: ${parsed}`);
  if (parsed.zone !== '') return new CelError(`IP address ${quoteGo(text)} with zone value is not allowed`);
  if (isMapped(parsed.address)) return new CelError(`IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  return new CelIp(parsed.address);
}

const cidrError = 'network address parse error during conversion from string: ';

function parseCidr(text: string): CelCidr | CelError {
  const prefix = parsePrefix(text);
  if (typeof prefix === 'string')
    return new CelError(`${cidrError}${cidrError}netip.ParsePrefix(${quoteGo(text)}): ${prefix}`);
  if (isMapped(prefix.address))
    return new CelError(`${cidrError}IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  return prefix;
}

/** As Go's netip.ParsePrefix; a refusal is its words. */
function parsePrefix(text: string): CelCidr | string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const parsed = parseAddress(text.slice(0, slash));
  if (typeof parsed === 'string') return parsed;
  if (parsed.zone !== '') return 'IPv6 zones cannot be present in a prefix';
  const digits = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d{1,18})$/.test(digits)) return `bad bits after slash: ${quoteGo(digits)}`;
  if (Number(digits) > parsed.address.bits) return 'prefix length out of range';
  return new CelCidr(parsed.address, Number(digits));
}

const masked = ({ bits, value }: Address, prefix: number) => {
  const shift = BigInt(bits - prefix);
  return (value >> shift) << shift;
};

const containsAddress = ({ address, prefix }: CelCidr, other: Address) =>
  address.bits === other.bits && masked(address, prefix) === masked(other, prefix);

const containsCidr = (a: CelCidr, b: CelCidr) => a.prefix <= b.prefix && containsAddress(a, b.address);

/** Whether an address is in the range of a prefix, one for each family. Parsed when it is asked first: starts are to be fast. */
const inside = (v4: string, v6: string) => {
  let ranges: readonly CelCidr[] | undefined;
  const parse = () => [v4, v6].filter((text) => text !== '').map((text) => parseCidr(text) as CelCidr);
  return ({ address }: CelIp) => (ranges ??= parse()).some((range) => containsAddress(range, address));
};
const isLoopback = inside('127.0.0.0/8', '::1/128');
const isLinkLocalUnicast = inside('169.254.0.0/16', 'fe80::/10');
const isLinkLocalMulticast = inside('224.0.0.0/24', '');
const isMulticast = inside('224.0.0.0/4', 'ff00::/8');
const isUnspecified = ({ address }: CelIp) => address.value === 0n;
const isV6LinkLocalMulticast = ({ address: { bits, value } }: CelIp) =>
  bits === 128 && value >> 120n === 0xffn && ((value >> 112n) & 0xfn) === 2n;
const isBroadcast = ({ address: { bits, value } }: CelIp) => bits === 32 && value === 0xffffffffn;
const isGlobalUnicast = (ip: CelIp) =>
  !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip) && !isBroadcast(ip);

const properties: Readonly<Record<string, { readonly id: string; readonly test: (ip: CelIp) => boolean }>> = {
  isUnspecified: { id: 'ip_is_unspecified', test: isUnspecified },
  isLoopback: { id: 'ip_is_loopback', test: isLoopback },
  isLinkLocalMulticast: {
    id: 'ip_is_link_local_multicast',
    test: (ip) => isLinkLocalMulticast(ip) || isV6LinkLocalMulticast(ip),
  },
  isLinkLocalUnicast: { id: 'ip_is_link_local_unicast', test: isLinkLocalUnicast },
  isGlobalUnicast: { id: 'ip_is_global_unicast', test: isGlobalUnicast },
};

const renderIp = ({ address }: CelIp) => renderAddress(address);

export const addressFunctions: readonly FunctionDecl[] = [
  declare(
    'ip',
    form('string_to_ip', [stringType], ipType, parseIp),
    member('cidr_ip', [cidrType], ipType, ({ address }: CelCidr) => new CelIp(address)),
  ),
  declare(
    'family',
    member('ip_family', [ipType], intType, ({ address }: CelIp) => (address.bits === 32 ? 4 : 6)),
  ),
  declare(
    'ip.isCanonical',
    form('ip_is_canonical', [stringType], boolType, (text: string) => {
      const ip = parseIp(text);
      return ip instanceof CelError ? ip : renderIp(ip) === text;
    }),
  ),
  ...Object.entries(properties).map(([name, { id, test }]) => declare(name, member(id, [ipType], boolType, test))),
  declare(
    'isIP',
    form('is_ip', [stringType], boolType, (text: string) => !(parseIp(text) instanceof CelError)),
  ),
  declare(
    'string',
    form('ip_to_string', [ipType], stringType, renderIp),
    form(
      'cidr_to_string',
      [cidrType],
      stringType,
      ({ address, prefix }: CelCidr) => `${renderAddress(address)}/${prefix}`,
    ),
  ),
  declare('cidr', form('string_to_cidr', [stringType], cidrType, parseCidr)),
  declare(
    'isCIDR',
    form('is_cidr', [stringType], boolType, (text: string) => !(parseCidr(text) instanceof CelError)),
  ),
  declare(
    'containsIP',
    member('cidr_contains_ip_string', [cidrType, stringType], boolType, (cidr: CelCidr, text: string) => {
      const ip = parseIp(text);
      return ip instanceof CelError ? new CelError('no such overload') : containsAddress(cidr, ip.address);
    }),
    member('cidr_contains_ip_ip', [cidrType, ipType], boolType, (cidr: CelCidr, ip: CelIp) =>
      containsAddress(cidr, ip.address),
    ),
  ),
  declare(
    'containsCIDR',
    member('cidr_contains_cidr_string', [cidrType, stringType], boolType, (cidr: CelCidr, text: string) => {
      const other = parseCidr(text);
      return other instanceof CelError ? other : containsCidr(cidr, other);
    }),
    member('cidr_contains_cidr', [cidrType, cidrType], boolType, containsCidr),
  ),
  declare(
    'prefixLength',
    member('cidr_prefix_length', [cidrType], intType, ({ prefix }: CelCidr) => prefix),
  ),
  declare(
    'masked',
    member(
      'cidr_masked',
      [cidrType],
      cidrType,
      ({ address, prefix }: CelCidr) => new CelCidr({ bits: address.bits, value: masked(address, prefix) }, prefix),
    ),
  ),
];
