import { prepareCrd, prepareCrdUpdate } from './crd.ts';
import { prepareJob } from './job.ts';
import { prepareNamespace, prepareNamespaceUpdate } from './namespace.ts';
import { preparePod } from './pod.ts';
import { prepareService, prepareServiceUpdate } from './service.ts';
import type { Strategy } from './strategy.ts';

const counted: Strategy = { countsGenerations: true };

/** By `group/resource`; other kinds need no strategy. */
const strategies: Readonly<Record<string, Strategy>> = {
  '/namespaces': { prepareCreate: prepareNamespace, prepareUpdate: prepareNamespaceUpdate },
  '/pods': { countsGenerations: true, prepareCreate: preparePod, returnsDeleted: true },
  '/services': { prepareCreate: prepareService, prepareUpdate: prepareServiceUpdate, returnsDeleted: true },
  '/serviceaccounts': { returnsDeleted: true },
  '/podtemplates': { returnsDeleted: true },
  '/replicationcontrollers': counted,
  '/resourcequotas': { returnsDeleted: true },
  '/persistentvolumes': { prepareCreate: pending, returnsDeleted: true },
  '/persistentvolumeclaims': { prepareCreate: pending, returnsDeleted: true },
  'apps/deployments': counted,
  'apps/replicasets': counted,
  'apps/daemonsets': counted,
  'apps/statefulsets': counted,
  'batch/jobs': { countsGenerations: true, prepareCreate: prepareJob },
  'batch/cronjobs': counted,
  'coordination.k8s.io/leases': { needsResourceVersion: true },
  'discovery.k8s.io/endpointslices': counted,
  'networking.k8s.io/ingresses': counted,
  'networking.k8s.io/ingressclasses': counted,
  'networking.k8s.io/networkpolicies': counted,
  'policy/poddisruptionbudgets': counted,
  'scheduling.k8s.io/priorityclasses': counted,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': counted,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': counted,
  'admissionregistration.k8s.io/validatingadmissionpolicies': { countsGenerations: true, needsResourceVersion: true },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': {
    countsGenerations: true,
    needsResourceVersion: true,
  },
  'admissionregistration.k8s.io/mutatingadmissionpolicies': { countsGenerations: true, needsResourceVersion: true },
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': {
    countsGenerations: true,
    needsResourceVersion: true,
  },
  'apiextensions.k8s.io/customresourcedefinitions': {
    countsGenerations: true,
    prepareCreate: prepareCrd,
    prepareUpdate: prepareCrdUpdate,
  },
};

const none: Strategy = {};
const customResource: Strategy = { countsGenerations: true, needsResourceVersion: true };

export function strategyOf(definition: {
  readonly group: string;
  readonly resource: string;
  readonly custom: boolean;
}): Strategy {
  return definition.custom ? customResource : (strategies[`${definition.group}/${definition.resource}`] ?? none);
}

function pending<T extends object>(object: T): T {
  return { ...object, status: { phase: 'Pending' } };
}
