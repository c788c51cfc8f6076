import { CelAuthorizer } from '../../cel/index.ts';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../object/index.ts';
import type { Bindings } from '../expressions/index.ts';
import type { Attributes } from './attributes.ts';

/** A request in the version that a webhook or a policy asked for. */
export interface VersionedRequest {
  readonly attributes: Attributes;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** What every expression of admission sees of a request; `namespaceObject` and `params` are none unless they are added. */
export function bindingsOf(request: VersionedRequest): Bindings {
  const { attributes, object, oldObject } = request;
  const { resource, subresource, namespace, name, call } = attributes;
  const authorizer = new CelAuthorizer(permitAll, call.user.username);
  return {
    object: object ?? null,
    oldObject: oldObject ?? null,
    namespaceObject: null,
    params: null,
    request: requestValue(request),
    authorizer,
    'authorizer.requestResource': authorizer.resource({
      group: resource.group,
      resource: resource.resource,
      subresource,
      namespace,
      name,
    }),
  };
}

/** The embedded cluster does not check permissions. */
const permitAll = () => ({ allowed: true, reason: '' });

function requestValue({ attributes, kind, resource }: VersionedRequest): object {
  const { subresource, namespace, name, operation, call } = attributes;
  const { username, uid = '', groups, extra = {} } = call.user;
  return {
    uid: '',
    kind: gvk(kind),
    resource: gvr(resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: gvk(attributes.kind),
    requestResource: gvr(attributes.resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      ...(username === '' ? {} : { username }),
      ...(uid === '' ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
    dryRun: call.dryRun,
    options: attributes.options,
  };
}

const gvk = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind });
const gvr = ({ group, version, resource }: GroupVersionResource) => ({ group, version, resource });
