import { isIP } from 'node:net';
import { type AddressPolicy, checkHost, errorCode, errorMessage, guardedLookup } from '../base/index.ts';
import { GitError } from './errors.ts';
import { type CheckedRemote, defaultPorts, type Endpoint, endpointOf } from './remote.ts';

/** The resolved address of a host that may be connected to. git and ssh are configured to use it. */
export interface PinnedAddress {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

/**
 * Resolves the host of a remote and refuses addresses that tenants must not reach. The connection uses the checked
 * address, so a later change of the DNS record has no effect. Undefined where there is nothing to pin: a path, a
 * literal address, a proxy that resolves names itself.
 */
export async function pinAddress(
  remote: CheckedRemote,
  policy: AddressPolicy | undefined,
): Promise<PinnedAddress | undefined> {
  const endpoint = endpointOf(remote.url);
  if (policy === undefined || endpoint === undefined) return undefined;
  const { host, port } = endpoint;
  const isConfigured = policy.isConfiguredHost?.(nameOf(endpoint)) === true;
  const addresses = { ...policy, isConfiguredHost: () => isConfigured };
  try {
    checkHost(host, addresses);
    if (isIP(host) !== 0 || remote.proxy !== undefined) return undefined;
    const lookup = guardedLookup(addresses);
    const address = await new Promise<string>((resolve, reject) =>
      lookup(host, { all: false }, (error, found) => (error ? reject(error) : resolve(`${found}`))),
    );
    return { host, port, address };
  } catch (thrown) {
    const isForbidden = errorCode(thrown) === 'address-forbidden';
    const message = `the repository address: ${errorMessage(thrown)}`;
    throw new GitError(isForbidden ? 'git-address-refused' : 'git-network', message, thrown);
  }
}

/** As an administrator configures it: with the port, unless it is the protocol's default. */
function nameOf({ protocol, host, port }: Endpoint): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === defaultPorts[protocol] ? name : `${name}:${port}`;
}
