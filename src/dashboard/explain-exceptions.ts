import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { celExceptionType, policyTypes } from '../runtime/index.ts';
import { listOf, objectOf } from './fields.ts';

const maxRead = 500;

/** The exceptions that name the policy; undefined if they cannot be read. */
export async function exceptionsOf(
  client: Pick<KubeClient, 'list'>,
  { apiVersion, metadata: { name = '', namespace } }: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  const isClassic = apiVersion.startsWith('kyverno.io/');
  const type = isClassic ? policyTypes.exception : celExceptionType;
  const named = namespace === undefined || !isClassic ? name : `${namespace}/${name}`;
  try {
    const { items } = await client.list<KubeObject>(type, { limit: maxRead, signal });
    return items.filter(
      (exception) => exception.metadata.deletionTimestamp === undefined && namesIn(exception).includes(named),
    );
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-forbidden') || isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}

function namesIn(exception: KubeObject): readonly unknown[] {
  const spec = objectOf(exception, 'spec');
  return [
    ...listOf(spec, 'exceptions').map((one) => one['policyName']),
    ...listOf(spec, 'policyRefs').map((one) => one['name']),
  ];
}
