import type { PullSecretRef } from '../api/index.ts';
import { errorMessage, isJsonObject, type Logger } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type CredentialSource, dockerConfigSource, parsePullSecret } from '../registry/index.ts';

const core = (resource: string, kind: string): ResourceType => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced: true,
});
export const secrets = core('secrets', 'Secret');
const serviceAccounts = core('serviceaccounts', 'ServiceAccount');

export interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * The credentials of pull secrets, read when a registry requires a login. A missing or invalid secret is skipped, as
 * the kubelet does: another one may work.
 */
export function pullSecretSource(
  refs: readonly PullSecretRef[],
  client: Pick<KubeClient, 'get'>,
  log: Logger,
): CredentialSource {
  const read = async <T extends KubeObject>(
    type: ResourceType,
    namespace: string,
    name: string,
    signal: AbortSignal | undefined,
  ) => {
    try {
      return await client.get<T>(type, { namespace, name }, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-forbidden')) throw thrown;
      log.debug('pull secret skipped', { kind: type.kind, namespace, name, error: errorMessage(thrown) });
      return undefined;
    }
  };
  const namesOf = async ({ namespace, name, serviceAccount }: PullSecretRef, signal: AbortSignal | undefined) => {
    if (name !== undefined) return [{ namespace, name }];
    if (serviceAccount === undefined) return [];
    const account = await read(serviceAccounts, namespace, serviceAccount, signal);
    const list = account?.['imagePullSecrets'];
    return (Array.isArray(list) ? list : []).flatMap((entry) =>
      isJsonObject(entry) && typeof entry['name'] === 'string' ? [{ namespace, name: entry['name'] }] : [],
    );
  };
  return async (target, signal) => {
    const names = (await Promise.all(refs.map((ref) => namesOf(ref, signal)))).flat();
    const found = await Promise.all(
      names.map(async ({ namespace, name }) => {
        const secret = await read<Secret>(secrets, namespace, name, signal);
        if (!secret) return [];
        try {
          const config = parsePullSecret(secret, `Secret ${namespace}/${name}`);
          return config ? await dockerConfigSource(config)(target, signal) : [];
        } catch (thrown) {
          log.warn('pull secret is invalid', { namespace, name, error: errorMessage(thrown) });
          return [];
        }
      }),
    );
    return found.flat();
  };
}
