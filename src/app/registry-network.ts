import { readFileSync } from 'node:fs';
import { type AddressPolicy, errorMessage, UsageError } from '../base/index.ts';
import type { RegistrySettings } from '../registry/index.ts';
import type { Config } from './config.ts';

/** How registries are reached, and the addresses that a registry named by a tenant may have. */
export interface RegistryNetwork {
  readonly settings: (registry: string) => RegistrySettings;
  readonly addresses: AddressPolicy;
}

type NetworkConfig = Pick<Config, 'network' | 'registries' | 'mirror'>;

/**
 * From the configuration; CA files are read once, here. `own` are registries that the administrator named elsewhere.
 */
export function registryNetwork(config: NetworkConfig, own: readonly string[] = []): RegistryNetwork {
  const { network, registries, mirror } = config;
  const settings = new Map<string, RegistrySettings>();
  for (const host of mirror.plainHttpRegistries) settings.set(host, { isPlainHttp: true });
  for (const { host, caFile, plainHTTP, insecureSkipVerify } of registries)
    settings.set(host, {
      isPlainHttp: plainHTTP,
      ...(plainHTTP ? {} : { isTlsRequired: true }),
      ...(insecureSkipVerify ? { isInsecure: true } : {}),
      ...(caFile === undefined ? {} : { ca: readCa(host, caFile) }),
    });
  const configured = new Set([...network.allowedHosts, ...own, ...settings.keys()].map(withoutDefaultPort));
  return {
    settings: (registry) => settings.get(registry) ?? {},
    addresses: {
      allowLoopback: network.allowLoopback,
      denyPrivate: network.denyPrivate,
      isConfiguredHost: (host) => configured.has(withoutDefaultPort(host)),
    },
  };
}

const withoutDefaultPort = (host: string) => host.toLowerCase().replace(/:(?:80|443)$/, '');

function readCa(host: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new UsageError('registry-ca-file', `registries: cannot read the caFile of ${host}: ${errorMessage(thrown)}`);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new UsageError('registry-ca-file', `registries: the caFile of ${host}, ${file}, holds no PEM certificate`);
}
