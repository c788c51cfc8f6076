import { errorMessage } from '../base/index.ts';
import type { RegistryTarget } from '../image/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import { dockerConfigSource, parsePullSecret } from '../registry/index.ts';
import { type Secret, secrets } from './credentials.ts';

/** Why pods of a namespace cannot pull copies with the configured secret; undefined when they can. */
export type PullSecretProblem = (namespace: string, signal: AbortSignal) => Promise<string | undefined>;

/**
 * A rewritten pod references `mirror.pullSecret`. If its namespace lacks the Secret, or the Secret has no credentials
 * for the backup registry, the copy could not be pulled, so nothing is rewritten there. Checked each time: with a
 * cached result, a pod could be rewritten after the Secret was deleted.
 */
export function createPullSecretProblem(
  name: string | undefined,
  { registry, prefix }: RegistryTarget,
  client: Pick<KubeClient, 'get'>,
): PullSecretProblem | undefined {
  if (name === undefined) return undefined;
  const target = { registry, ...(prefix === '' ? {} : { repository: prefix }) };
  return async (namespace, signal) => {
    const title = `Secret ${name} of namespace ${namespace} (mirror.pullSecret)`;
    let secret: Secret;
    try {
      secret = await client.get<Secret>(secrets, { namespace, name }, { signal });
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found'))
        return `namespace ${namespace} has no Secret ${name} (mirror.pullSecret) to pull copies with`;
      if (isKubeError(thrown, 'kube-forbidden')) return `${title} may not be read`;
      throw thrown;
    }
    try {
      const config = parsePullSecret(secret, title);
      if (config === undefined) return `${title} is no pull secret: its type is ${secret.type || 'Opaque'}`;
      const found = await dockerConfigSource(config)(target, signal);
      return found.length > 0 ? undefined : `${title} has no credentials for ${registry}`;
    } catch (thrown) {
      signal.throwIfAborted();
      return `${title} cannot be used: ${errorMessage(thrown)}`;
    }
  };
}
