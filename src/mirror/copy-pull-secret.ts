import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { secrets } from './credentials.ts';

/** Why pods of a namespace could not pull copies with the configured secret; undefined when they can. */
export type PullSecretProblem = (namespace: string, signal: AbortSignal) => Promise<string | undefined>;

/**
 * A rewritten pod names `mirror.pullSecret`. Where its namespace lacks it, the copy could not be pulled, so nothing is
 * rewritten there. Asked each time: a Secret may be deleted, and a remembered one would let a pod through.
 */
export function createPullSecretProblem(
  name: string | undefined,
  client: Pick<KubeClient, 'get'>,
): PullSecretProblem | undefined {
  if (name === undefined) return undefined;
  return async (namespace, signal) => {
    try {
      await client.get<KubeObject>(secrets, { namespace, name }, { signal });
      return undefined;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found'))
        return `namespace ${namespace} has no Secret ${name} (mirror.pullSecret) to pull copies with`;
      if (isKubeError(thrown, 'kube-forbidden'))
        return `Secret ${name} of namespace ${namespace} (mirror.pullSecret) may not be read`;
      throw thrown;
    }
  };
}
