import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RequestInfo } from '../policy/index.ts';
import type { AdmittedRequest, OutboxEntry } from './outbox.ts';

type Read = Pick<KubeClient, 'get'>;
type Named = Pick<AdmittedRequest, 'resource' | 'kind' | 'namespace' | 'name'>;

/** The stored object that a request names; undefined when it does not exist. */
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

/** The user of an unauthenticated review: only the API server knows who sent the request. */
const unknownUser: RequestInfo = { userInfo: { username: '', groups: [] }, roles: [], clusterRoles: [] };

/**
 * Replaces what an unauthenticated sender claims with what the API server has stored. A review precedes its effect: the
 * object of a CREATE does not exist yet, and the object of an UPDATE or DELETE still exists with the same uid.
 * Undefined for any other review.
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
    return isNew ? { ...request, oldObject: undefined, info: unknownUser } : undefined;
  }
  if (!present || present.metadata.uid !== oldObject?.metadata.uid) return undefined;
  return { ...request, oldObject: present, info: unknownUser };
}

/** The object that a rule sees: the stored one, unless the review is trusted. */
export const objectAfter = (
  { isTrusted, operation, object }: OutboxEntry['request'],
  stored: KubeObject | undefined,
): KubeObject | undefined => (isTrusted === true || operation === 'DELETE' ? object : stored);
