import type { PullSecretRef } from '../api/index.ts';
import { isJsonObject, type Logger } from '../base/index.ts';
import type { Environment, KubeClient } from '../kube/index.ts';
import type { RegistryClient } from '../registry/index.ts';
import type { RegistryNetwork } from './registry-network.ts';

/** How a rule wants an image to be read (`imageRegistryCredentials`), as Kyverno documents it. */
export interface ImageAccess {
  readonly allowInsecureRegistry: boolean;
  /** Credential providers in addition to the secrets; all available ones if the rule names none. */
  readonly providers: readonly string[] | undefined;
  /** Pull secrets of our own namespace. */
  readonly secrets: readonly string[];
  /** Pull secrets of a Pod, in its namespace. */
  readonly pullSecrets?: readonly PullSecretRef[] | undefined;
}

/** Sorted, so that rules with the same settings share a client. */
export function parseImageAccess(credentials: unknown): ImageAccess {
  const fields = isJsonObject(credentials) ? credentials : {};
  const texts = (value: unknown) =>
    Array.isArray(value) ? [...new Set(value.filter((item): item is string => typeof item === 'string'))].sort() : [];
  const providers = texts(fields['providers']);
  return {
    allowInsecureRegistry: fields['allowInsecureRegistry'] === true,
    providers: providers.length > 0 ? providers : undefined,
    secrets: texts(fields['secrets']),
  };
}

interface ImageClientOptions {
  readonly client: Pick<KubeClient, 'get'>;
  /** Only our own: a policy must not make the program read the secrets of others. */
  readonly namespace: string;
  readonly env: Environment;
  /** How registries are reached; commands of a user omit it. */
  readonly network?: RegistryNetwork | undefined;
  readonly log: Logger;
}

/** Without credentials, public images are still readable. */
const unavailable = new Set(['azure', 'google', 'github']);

export async function openImageClient(
  { allowInsecureRegistry, providers, secrets, pullSecrets = [] }: ImageAccess,
  { client, namespace, env, network, log }: ImageClientOptions,
): Promise<RegistryClient> {
  const { awsEcrToken, combineSources, createRegistryClient, ecrCredentials, proxyFromEnvironment } = await import(
    '../registry/index.ts'
  );
  const missing = providers?.filter((provider) => unavailable.has(provider)) ?? [];
  if (missing.length > 0) log.warn('a rule names providers of credentials that are not available', { missing });
  const refs = [...secrets.map((name) => ({ namespace, name })), ...pullSecrets];
  const own = refs.length > 0 ? [(await import('../mirror/index.ts')).pullSecretSource(refs, client, log)] : [];
  const cloud = providers === undefined || providers.includes('amazon') ? [ecrCredentials(awsEcrToken())] : [];
  return createRegistryClient({
    credentials: combineSources(...own, ...cloud),
    settings: (registry) => ({
      ...network?.settings(registry),
      ...(allowInsecureRegistry ? { isInsecure: true } : {}),
    }),
    addresses: network?.addresses,
    proxy: proxyFromEnvironment(env),
    log,
  });
}
