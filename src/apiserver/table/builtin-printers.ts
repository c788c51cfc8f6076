import * as cluster from './cluster-printers.ts';
import * as network from './network-printers.ts';
import { podPrinter } from './pod-printer.ts';
import * as policy from './policy-printers.ts';
import { nameColumn, nameOf, type Printer, printerOf, text } from './printer.ts';
import * as storage from './storage-printers.ts';
import * as workload from './workload-printers.ts';

/** For kinds without a printer of their own, roles and CustomResourceDefinitions among them. */
export const plainPrinter = printerOf<{ metadata?: { name?: string; creationTimestamp?: string } }>(
  [nameColumn, { ...text('Created At', 'When the object was created.'), type: 'date' }],
  (object) => [nameOf(object), object.metadata?.creationTimestamp ?? ''],
);

/** By `resource.group`, the core group without a dot: printing does not depend on the version. */
export const builtinPrinters: ReadonlyMap<string, Printer> = new Map<string, Printer>([
  ['pods', podPrinter],
  ['podtemplates', workload.podTemplatePrinter],
  ['replicationcontrollers', workload.replicationControllerPrinter],
  ['deployments.apps', workload.deploymentPrinter],
  ['replicasets.apps', workload.replicaSetPrinter],
  ['daemonsets.apps', workload.daemonSetPrinter],
  ['statefulsets.apps', workload.statefulSetPrinter],
  ['controllerrevisions.apps', workload.controllerRevisionPrinter],
  ['jobs.batch', workload.jobPrinter],
  ['cronjobs.batch', workload.cronJobPrinter],
  ['services', network.servicePrinter],
  ['endpoints', network.endpointsPrinter],
  ['endpointslices.discovery.k8s.io', network.endpointSlicePrinter],
  ['ingresses.networking.k8s.io', network.ingressPrinter],
  ['ingressclasses.networking.k8s.io', network.ingressClassPrinter],
  ['networkpolicies.networking.k8s.io', network.networkPolicyPrinter],
  ['namespaces', cluster.namespacePrinter],
  ['nodes', cluster.nodePrinter],
  ['configmaps', cluster.configMapPrinter],
  ['secrets', cluster.secretPrinter],
  ['serviceaccounts', cluster.serviceAccountPrinter],
  ['events', cluster.eventPrinter],
  ['events.events.k8s.io', cluster.newEventPrinter],
  ['leases.coordination.k8s.io', cluster.leasePrinter],
  ['resourcequotas', cluster.resourceQuotaPrinter],
  ['priorityclasses.scheduling.k8s.io', cluster.priorityClassPrinter],
  ['runtimeclasses.node.k8s.io', cluster.runtimeClassPrinter],
  ['persistentvolumes', storage.persistentVolumePrinter],
  ['persistentvolumeclaims', storage.persistentVolumeClaimPrinter],
  ['storageclasses.storage.k8s.io', storage.storageClassPrinter],
  ['volumeattributesclasses.storage.k8s.io', storage.volumeAttributesClassPrinter],
  ['volumeattachments.storage.k8s.io', storage.volumeAttachmentPrinter],
  ['csinodes.storage.k8s.io', storage.csiNodePrinter],
  ['csidrivers.storage.k8s.io', storage.csiDriverPrinter],
  ['rolebindings.rbac.authorization.k8s.io', policy.bindingPrinter],
  ['clusterrolebindings.rbac.authorization.k8s.io', policy.bindingPrinter],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', policy.webhookConfigurationPrinter],
  ['validatingwebhookconfigurations.admissionregistration.k8s.io', policy.webhookConfigurationPrinter],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', policy.validatingPolicyPrinter],
  ['validatingadmissionpolicybindings.admissionregistration.k8s.io', policy.policyBindingPrinter],
  ['mutatingadmissionpolicies.admissionregistration.k8s.io', policy.mutatingPolicyPrinter],
  ['mutatingadmissionpolicybindings.admissionregistration.k8s.io', policy.policyBindingPrinter],
  ['poddisruptionbudgets.policy', policy.disruptionBudgetPrinter],
  ['horizontalpodautoscalers.autoscaling', policy.autoscalerPrinter],
  ['certificatesigningrequests.certificates.k8s.io', policy.signingRequestPrinter],
  ['apiservices.apiregistration.k8s.io', policy.apiServicePrinter],
]);
