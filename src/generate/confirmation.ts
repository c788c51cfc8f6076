import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RequestInfo } from '../policy/index.ts';
import type { AdmittedRequest, OutboxEntry } from './outbox.ts';

type Read = Pick<KubeClient, 'get'>;
type Named = Pick<AdmittedRequest, 'resource' | 'kind' | 'namespace' | 'name'>;

/** What the API server has under the name of a request; undefined when nothing is there. */
export async function readSubject(
  client: Read,
  { resource, kind, namespace, name }: Named,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const isNamespace = resource.group === '' && resource.resource === 'namespaces';
  const namespaced = namespace !== '' && !isNamespace;
  try {
    const type = { ...resource, kind: kind.kind, namespaced };
    return await client.get<KubeObject>(type, { name, ...(namespaced ? { namespace } : {}) }, { signal });
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}

/** Nobody: who asked is known from the API server alone. */
const nobody: RequestInfo = { userInfo: { username: '', groups: [] }, roles: [], clusterRoles: [] };

/**
 * A review that anybody may have sent, with what the API server says in place of what the sender says. A review comes
 * before its effect, so what is to be created is not there yet, and what is to be changed or deleted still is, with the
 * same uid. Undefined for any other review.
 */
export async function confirmedBefore(
  client: Read,
  request: AdmittedRequest,
  signal: AbortSignal,
): Promise<AdmittedRequest | undefined> {
  const { operation, name, subresource, object, oldObject } = request;
  if (operation === 'CONNECT' || name === '' || subresource !== '') return undefined;
  const present = await readSubject(client, request, signal);
  if (operation === 'CREATE') {
    const isNew = object?.metadata.uid !== undefined && present?.metadata.uid !== object.metadata.uid;
    return isNew ? { ...request, oldObject: undefined, info: nobody } : undefined;
  }
  if (!present || present.metadata.uid !== oldObject?.metadata.uid) return undefined;
  return { ...request, oldObject: present, info: nobody };
}

/** What a rule sees as the object: the stored one where the review proves nothing. */
export const objectAfter = (
  { isTrusted, operation, object }: OutboxEntry['request'],
  stored: KubeObject | undefined,
): KubeObject | undefined => (isTrusted === true || operation === 'DELETE' ? object : stored);
