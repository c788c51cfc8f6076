import type { GroupVersionKind } from '../../object/index.ts';
import { type PolicyRequest, resourceOf, subjectOf } from '../request.ts';

/** The `request` of an expression: an admission request as the API server shows it, without its objects. */
export function requestValue(request: PolicyRequest): Readonly<Record<string, unknown>> {
  const { operation, kind, subresource, info, dryRun = false } = request;
  const resource = { group: kind.group, version: kind.version, resource: resourceOf(kind) };
  const name = subjectOf(request)?.metadata.name;
  const namespace = namespaceOf(request);
  const { username = '', uid, groups = [], extra } = info?.userInfo ?? {};
  return {
    kind: kindValue(kind),
    resource,
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindValue(kind),
    requestResource: resource,
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name ? { name } : {}),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      ...(username === '' ? {} : { username }),
      ...(uid ? { uid } : {}),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
    },
    dryRun,
    options: null,
  };
}

const kindValue = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind });

/** Empty for what has none; a Namespace is in none. */
export function namespaceOf(request: PolicyRequest): string {
  const { kind } = request;
  if (kind.kind === 'Namespace' && kind.group === '') return '';
  return subjectOf(request)?.metadata.namespace ?? '';
}

/** The namespace of the object, as far as the request tells; null for what is in none. */
export function namespaceValue(request: PolicyRequest): unknown {
  const name = namespaceOf(request);
  if (name === '') return null;
  const { namespaceLabels: labels } = request;
  return { metadata: { name, ...(Object.keys(labels).length === 0 ? {} : { labels }) } };
}
