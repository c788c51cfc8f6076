import type { ImageResourcePolicy } from '../api/index.ts';
import { SupercargoError } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { type KubeObject, keyOf } from '../object/index.ts';
import {
  createRegistryClient,
  dockerConfigSource,
  parsePullSecret,
  type RegistryClientOptions,
} from '../registry/index.ts';
import { createCreatedCache } from './created.ts';
import { ecrSource } from './ecr-source.ts';
import { defaultConcurrentScans, type ImageSource } from './image-source.ts';
import { ociSource } from './oci-source.ts';
import { type AwsKeys, RoleCredentials } from './role-credentials.ts';

/** Opens the registry of a policy with the policy's credentials. Must be closed after each scan. */
export type OpenSource = (policy: ImageResourcePolicy, signal: AbortSignal) => Promise<ImageSource>;

const secrets: ResourceType = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

interface OpenSourceOptions {
  readonly client: Pick<KubeClient, 'get'>;
  /** Shared by all policies: proxies, logs, user agent. */
  readonly registry?: RegistryClientOptions | undefined;
}

export function createOpenSource({ client, registry = {} }: OpenSourceOptions): OpenSource {
  const cache = createCreatedCache();
  const readSecret = async (policy: ImageResourcePolicy, name: string, signal: AbortSignal): Promise<Secret> => {
    try {
      return await client.get<Secret>(secrets, { name, namespace: policy.metadata.namespace }, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-forbidden')) throw thrown;
      const why = isKubeError(thrown, 'kube-not-found') ? 'does not exist' : 'may not be read';
      throw new SupercargoError('detect-secret', `Secret ${policy.metadata.namespace}/${name} ${why}`, {
        cause: thrown,
        retry: 'backoff',
      });
    }
  };
  const roles = new RoleCredentials();
  return async (policy, signal) => {
    const { ecrRepository, ociRepository, aws } = policy.spec;
    if (ecrRepository) {
      const { region, registryId, endpoint } = ecrRepository;
      const secret = aws?.secretRef && (await readSecret(policy, aws.secretRef.name, signal));
      const { addresses } = registry;
      const keys = secret && awsKeys(secret);
      return ecrSource({ region, registryId, endpoint, addresses, roleArn: aws?.roleArn, keys, roles });
    }
    if (!ociRepository) throw new SupercargoError('detect-source', 'neither ecrRepository nor ociRepository is set');
    const { registry: host, secretRef, certSecretRef, insecure = false, maxConcurrentScans } = ociRepository;
    const pull = secretRef && (await readSecret(policy, secretRef.name, signal));
    const cert = certSecretRef && (await readSecret(policy, certSecretRef.name, signal));
    const ca = cert && textOf(cert, 'ca.crt');
    const config = pull && parsePullSecret(pull, `Secret ${keyOf(pull)}`);
    if (pull && !config)
      throw new SupercargoError(
        'detect-secret',
        `Secret ${keyOf(pull)} is of the type ${pull.type}; kubernetes.io/dockerconfigjson is expected`,
        { retry: 'backoff' },
      );
    return ociSource(
      createRegistryClient({
        ...registry,
        // Repositories are listed in parallel; the client must allow at least as many requests as the policy does.
        concurrency: { ...registry.concurrency, calls: maxConcurrentScans ?? defaultConcurrentScans },
        ...(config ? { credentials: dockerConfigSource(config) } : {}),
        settings: (name) => ({
          ...registry.settings?.(name),
          ...(insecure ? { isPlainHttp: true } : {}),
          ...(ca === undefined ? {} : { ca }),
        }),
      }),
      host,
      cache,
    );
  };
}

function awsKeys(secret: Secret): AwsKeys {
  const sessionToken = secret.data?.['sessionToken'];
  return {
    accessKeyId: textOf(secret, 'accessKeyId'),
    secretAccessKey: textOf(secret, 'secretAccessKey'),
    ...(sessionToken === undefined ? {} : { sessionToken: Buffer.from(sessionToken, 'base64').toString() }),
  };
}

function textOf({ metadata, data }: Secret, key: string): string {
  const value = data?.[key];
  if (value !== undefined) return Buffer.from(value, 'base64').toString().trim();
  throw new SupercargoError('detect-secret', `Secret ${metadata.namespace}/${metadata.name} has no ${key}`, {
    retry: 'backoff',
  });
}
