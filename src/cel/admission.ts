import {
  boolType,
  type CelType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
} from './types.ts';

/** What expressions of admission policies see, as the API server types it: a field that is not here does not compile. */

const strings = listType(stringType);
const labels = mapType(stringType, stringType);

const kind = structType('kubernetes.GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const resource = structType('kubernetes.GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});

export const requestType: CelType = structType('kubernetes.AdmissionRequest', {
  kind,
  resource,
  subResource: stringType,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: structType('kubernetes.UserInfo', {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});

const condition = structType('kubernetes.NamespaceCondition', {
  status: stringType,
  type: stringType,
  lastTransitionTime: timestampType,
  message: stringType,
  reason: stringType,
});

export const namespaceType: CelType = structType('kubernetes.Namespace', {
  metadata: structType('kubernetes.NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels,
    annotations: labels,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: structType('kubernetes.NamespaceSpec', { finalizers: strings }),
  status: structType('kubernetes.NamespaceStatus', { conditions: listType(condition), phase: stringType }),
});
