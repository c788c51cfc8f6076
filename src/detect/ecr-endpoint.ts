import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { type AddressPolicy, checkHost, guardedLookup, SupercargoError } from '../base/index.ts';

/**
 * The hosts of ECR's API, private links included. Any other host below amazonaws.com may belong to anyone: load
 * balancers, buckets.
 */
const ofAws =
  /^(?:(?:vpce-[a-z0-9-]+\.)?(?:api\.ecr|ecr-fips)\.[a-z0-9-]+\.(?:vpce\.)?amazonaws\.com(?:\.cn)?|ecr(?:-fips)?\.[a-z0-9-]+\.api\.(?:aws|amazonwebservices\.com\.cn))$/;

interface EndpointOptions {
  readonly endpoint: string;
  /** Whether requests are signed with the policy's keys instead of our own identity. */
  readonly hasOwnKeys: boolean;
  /** The allowed addresses. Hosts named by the administrator are matched with their port. */
  readonly addresses: AddressPolicy;
}

interface EndpointAgents {
  readonly httpAgent: PlainAgent;
  readonly httpsAgent: SecureAgent;
}

const refuse = (why: string) =>
  new SupercargoError('detect-ecr-endpoint', `spec.ecrRepository.endpoint ${why}`, { retry: 'never' });

/**
 * Connections to an ECR API endpoint that a policy names: only to allowed addresses, and with our own identity only to
 * ECR itself. A signed request carries a session token, and its receiver could replay it.
 */
export function endpointAgents({ endpoint, hasOwnKeys, addresses }: EndpointOptions): EndpointAgents {
  if (!URL.canParse(endpoint)) throw refuse('is not a URL');
  const { protocol, host, hostname, username, password } = new URL(endpoint);
  if (protocol !== 'https:' && protocol !== 'http:') throw refuse('must begin with https://');
  if (username !== '' || password !== '') throw refuse('carries credentials');
  const isConfigured = addresses.isConfiguredHost?.(host) === true;
  const isAws = protocol === 'https:' && ofAws.test(host);
  if (!hasOwnKeys && !isConfigured && !isAws)
    throw refuse(
      `is no host of Amazon ECR: our own AWS identity is not used there; name keys in spec.aws.secretRef, or the host in network.allowedHosts`,
    );
  const policy = { ...addresses, isConfiguredHost: () => isConfigured };
  checkHost(hostname, policy);
  const options = { keepAlive: true, lookup: guardedLookup(policy) };
  return { httpAgent: new PlainAgent(options), httpsAgent: new SecureAgent(options) };
}
