import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { SupercargoError } from '../base/index.ts';

export class AddressError extends SupercargoError {}

const forbidden = new BlockList();
forbidden.addSubnet('0.0.0.0', 8);
forbidden.addSubnet('127.0.0.0', 8);
// Link-local: node and cloud metadata services live here.
forbidden.addSubnet('169.254.0.0', 16);
forbidden.addAddress('100.100.100.200');
forbidden.addAddress('168.63.129.16');
forbidden.addSubnet('224.0.0.0', 4);
forbidden.addAddress('255.255.255.255');
forbidden.addAddress('::', 'ipv6');
forbidden.addAddress('::1', 'ipv6');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addSubnet('ff00::', 8, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
// Ways to write an IPv4 address that a check of the text would miss.
forbidden.addSubnet('64:ff9b::', 96, 'ipv6');
forbidden.addSubnet('2002::', 16, 'ipv6');

/** Whether a policy may make us call this address: never the node itself, nor what only the node may ask. */
export function isAllowedAddress(address: string): boolean {
  const mapped = /^::(?:ffff:)?(?:0:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return isAllowedAddress(mapped);
  switch (isIP(address)) {
    case 4:
      return !forbidden.check(address, 'ipv4');
    case 6:
      // `::ffff:7f00:1` is checked as the IPv4 address that it is.
      return !forbidden.check(address, 'ipv6') && !/^::(ffff:)?[0-9a-f]{1,4}:[0-9a-f]{1,4}$/i.test(address);
    default:
      return false;
  }
}

type Lookup = (
  hostname: string,
  options: object,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/**
 * A resolver for one connection that answers only with allowed addresses. The connection is made to what was checked:
 * a name that resolves differently a moment later changes nothing.
 */
export const allowedLookup: Lookup = (hostname, options, callback) => {
  resolveName(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, '');
      return;
    }
    const allowed = addresses.filter(({ address }) => isAllowedAddress(address));
    const [first] = allowed;
    if (!first) callback(forbiddenAddress(hostname), '');
    else if ('all' in options && options.all === true) callback(null, allowed);
    else callback(null, first.address, first.family);
  });
};

export function forbiddenAddress(host: string): AddressError {
  return new AddressError(
    'look-up-address',
    `${host} is an address that policies may not call (loopback, link-local or metadata)`,
  );
}
