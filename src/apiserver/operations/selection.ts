import { errorMessage } from '../../base/index.ts';
import { type KubeObject, parseFieldSelector, parseLabelSelector } from '../../object/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { StatusError, statusError } from '../status.ts';

/** The whole object may have to be parsed first, so it is requested only when the metadata is not enough. */
export type ObjectMatcher = (entry: Pick<KubeObject, 'metadata'> & { readonly object: KubeObject }) => boolean;

/** The objects of a list or watch; an undefined `matches` means all. */
export interface Selection {
  readonly matches: ObjectMatcher | undefined;
  /** Set when a field selector names one object: a look-up replaces the scan. */
  readonly name: string | undefined;
}

/** Parses labelSelector and fieldSelector; fails with 400 as the real server does. */
export function selectionOf(definition: ResourceDefinition, labelSelector: string, fieldSelector: string): Selection {
  if (labelSelector === '' && fieldSelector === '') return { matches: undefined, name: undefined };
  try {
    const byLabels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
    const byFields = fieldSelector === '' ? undefined : parseFieldSelector(fieldSelector);
    for (const { path } of byFields?.requirements ?? []) {
      if (!isSelectable(definition, path)) throw notSelectable(definition, path);
    }
    const named = byFields?.requirements.find(({ path, op }) => path === 'metadata.name' && op === '=');
    return {
      matches: (entry) =>
        (!byLabels || byLabels(entry.metadata.labels)) &&
        (!byFields || byFields.matches((path) => fieldText(path.startsWith('metadata.') ? entry : entry.object, path))),
      name: named?.value,
    };
  } catch (thrown) {
    throw thrown instanceof StatusError ? thrown : statusError(400, errorMessage(thrown));
  }
}

/** Selectable fields besides metadata.name and metadata.namespace. */
const selectableFields: Readonly<Record<string, readonly string[]>> = {
  '/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  '/events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'events.k8s.io/events': [
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'reason',
    'type',
  ],
  '/secrets': ['type'],
  '/namespaces': ['status.phase'],
  '/nodes': ['spec.unschedulable'],
  '/services': ['spec.clusterIP', 'spec.type'],
  '/replicationcontrollers': ['status.replicas'],
  'apps/replicasets': ['status.replicas'],
  'batch/jobs': ['status.successful'],
};

function notSelectable(definition: ResourceDefinition, path: string): StatusError {
  const hasOwn = definition.custom
    ? definition.selectableFields
    : selectableFields[`${definition.group}/${definition.resource}`];
  if (hasOwn) return statusError(400, `field label not supported: ${path}`);
  return statusError(400, `"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

function isSelectable(definition: ResourceDefinition, path: string): boolean {
  if (path === 'metadata.name') return true;
  if (path === 'metadata.namespace') return definition.namespaced;
  const fields = definition.custom
    ? definition.selectableFields
    : selectableFields[`${definition.group}/${definition.resource}`];
  return fields?.includes(path) ?? false;
}

function fieldText(object: Readonly<Record<string, unknown>>, path: string): string {
  if (path === 'source') {
    const source = (object['source'] as { component?: string } | undefined)?.component;
    return source || String(object['reportingComponent'] ?? '');
  }
  if (path === 'status.successful') path = 'status.succeeded';
  let value: unknown = object;
  for (const part of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  if (value === undefined || value === null) return emptyText[path] ?? '';
  return String(value);
}

/** The value of an absent field, where it is not the empty string. */
const emptyText: Readonly<Record<string, string>> = {
  'spec.unschedulable': 'false',
  'spec.hostNetwork': 'false',
  'status.replicas': '0',
  'status.succeeded': '0',
};
