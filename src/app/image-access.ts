import type { PullSecretRef } from '../api/index.ts';
import { isJsonObject, type Logger } from '../base/index.ts';
import type { Environment, KubeClient } from '../kube/index.ts';
import type { RegistryClient } from '../registry/index.ts';
import type { RegistryNetwork } from './registry-network.ts';

/** How a rule wants its image asked for (`imageRegistryCredentials`), as Kyverno documents it. */
export interface ImageAccess {
  readonly allowInsecureRegistry: boolean;
  /** Where credentials come from beside the secrets; all that we have when the rule names none. */
  readonly providers: readonly string[] | undefined;
  /** Pull secrets of our own namespace. */
  readonly secrets: readonly string[];
  /** Pull secrets of a Pod, in its namespace. */
  readonly pullSecrets?: readonly PullSecretRef[] | undefined;
}

/** Sorted, so that rules that want the same share a client. */
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

export interface ImageClientOptions {
  readonly client: Pick<KubeClient, 'get'>;
  /** Our own: a policy must not have the program read the secrets of others. */
  readonly namespace: string;
  readonly env: Environment;
  /** Which registries are reached how; commands of a user leave it out. */
  readonly network?: RegistryNetwork | undefined;
  readonly log: Logger;
}

/** Without an account there is nothing to ask with; images that are for everybody are found all the same. */
const unavailable = new Set(['azure', 'google', 'github']);

export async function openImageClient(
  { allowInsecureRegistry, providers, secrets, pullSecrets = [] }: ImageAccess,
  { client, namespace, env, network, log }: ImageClientOptions,
): Promise<RegistryClient> {
  const { awsEcrToken, combineSources, createRegistryClient, ecrSource, proxyFromEnvironment } = await import(
    '../registry/index.ts'
  );
  const missing = providers?.filter((provider) => unavailable.has(provider)) ?? [];
  if (missing.length > 0) log.warn('a rule names providers of credentials that are not available', { missing });
  const refs = [...secrets.map((name) => ({ namespace, name })), ...pullSecrets];
  const own = refs.length > 0 ? [(await import('../mirror/index.ts')).pullSecretSource(refs, client, log)] : [];
  const cloud = providers === undefined || providers.includes('amazon') ? [ecrSource(awsEcrToken())] : [];
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
