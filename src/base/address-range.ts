import { isIP } from 'node:net';

/** Addresses that begin with the same bits: `10.0.0.0/8`, `fd00::/8`; a single address is one of all its bits. */
interface AddressRange {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Undefined for what is no range. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = addressFamily(address);
  if (family === undefined) return undefined;
  const most = family === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  return bits <= most ? { address, bits, family } : undefined;
}

/** Undefined for what is no IP address. */
export function addressFamily(address: string): AddressRange['family'] | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
