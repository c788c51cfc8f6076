import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { addressFamily, parseAddressRange } from '../base/index.ts';

/** Who sends a request: of what one client may take, each address has a share. */
export interface ClientAddress {
  of(request: IncomingMessage): string;
  /** The requests of many clients come from this address. */
  isProxy(address: string): boolean;
}

/** An address is written in few characters: what is longer is none. */
const maxAddress = 64;
/** The proxies of one request. Whatever is before them was written by the client. */
const maxHops = 16;

/**
 * The address of the connection or, if that is of a trusted proxy, the one that the proxy names in X-Forwarded-For: the
 * last one there that is of no trusted proxy. What is before it was sent by the client, and is not believed.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const proxies = new BlockList();
  for (const text of trustedProxies) {
    const range = parseAddressRange(text);
    if (range) proxies.addSubnet(range.address, range.bits, range.family);
  }
  const isProxy = (address: string) => {
    const family = addressFamily(address);
    return family !== undefined && proxies.check(address, family);
  };
  return {
    isProxy: (address) => isProxy(plainAddress(address)),
    of({ socket, headers }) {
      let client = plainAddress(socket.remoteAddress ?? '');
      const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
      for (let hop = 0; hop < maxHops && isProxy(client); hop++) {
        const before = addressIn(named.pop() ?? '');
        if (before === undefined) break;
        client = before;
      }
      return client;
    },
  };
}

/** One entry of the header, perhaps with a port; undefined for what is no address. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim().slice(0, maxAddress);
  const [, address = text] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  return addressFamily(address) === undefined ? undefined : plainAddress(address);
}

/** A server on `::` names IPv4 clients in the form of IPv6. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
