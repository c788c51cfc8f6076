import { isJsonObject } from '../../base/index.ts';
import { CelError, CelUnknown } from '../../cel/index.ts';
import type { GroupVersionKind, GroupVersionResource } from '../../object/index.ts';
import { findAnswer } from '../context/index.ts';
import { type PolicyRequest, type RequestAttributes, resourceOf, subjectOf } from '../request.ts';
import type { Run } from '../run/run.ts';

/** The `request` of an expression: an admission request as the API server shows it, without its objects. */
export function requestValue(request: PolicyRequest): Readonly<Record<string, unknown>> {
  const { operation, subresource, info, dryRun = false } = request;
  const attributes = request.attributes ?? attributesOf(request);
  const { kind, resource, requestKind = kind, requestResource = resource, name, namespace, options } = attributes;
  // The subresource of the client's request is that of the converted one, where the API server does not tell.
  const requestSubResource = attributes.requestSubResource ?? subresource;
  const { username = '', uid, groups = [], extra } = info?.userInfo ?? {};
  return {
    kind: kindValue(kind),
    resource: resourceValue(resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindValue(requestKind),
    requestResource: resourceValue(requestResource),
    ...(requestSubResource === '' ? {} : { requestSubResource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      ...(username === '' ? {} : { username }),
      ...(uid ? { uid } : {}),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
    },
    dryRun,
    options: options ?? null,
  };
}

const kindValue = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind });
const resourceValue = ({ group, version, resource }: GroupVersionResource) => ({ group, version, resource });

/** As a request for the object itself would have them. */
function attributesOf(request: PolicyRequest): RequestAttributes {
  const { kind } = request;
  return {
    kind,
    resource: { group: kind.group, version: kind.version, resource: resourceOf(kind) },
    name: subjectOf(request)?.metadata.name ?? '',
    namespace: namespaceOf(request),
  };
}

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

/**
 * The whole namespace of the object, which is looked up: unknown until it is there. Its name is that of the request,
 * whatever a policy says, so that policies of namespaces get the same answer as all others.
 */
export function wholeNamespaceValue({ request, context: { known } }: Run): unknown {
  const name = namespaceOf(request);
  if (name === '') return null;
  const { answer, lookUp } = findAnswer({ known, policyNamespace: '' }, { kind: 'namespace', name });
  if (!answer) return new CelUnknown([lookUp]);
  if (!answer.ok) return new CelError(`failed to get namespace: ${answer.message}`);
  return shownNamespace(answer.value) ?? namespaceValue(request);
}

const shownMetadata = [
  'name',
  'generateName',
  'labels',
  'annotations',
  'uid',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'resourceVersion',
  'finalizers',
] as const;

/** What the API server shows of a Namespace: not who manages its fields, nor fields that it does not know. */
export function shownNamespace(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined;
  const { metadata, spec, status } = value;
  return {
    metadata: part(metadata, shownMetadata),
    spec: part(spec, ['finalizers']),
    status: part(status, ['conditions', 'phase']),
  };
}

function part(value: unknown, fields: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(fields.flatMap((field) => (field in value ? [[field, value[field]]] : [])));
}
