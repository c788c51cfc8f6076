/**
 * What the real server checks of built-in kinds beyond their types, in its own words: names and labels of every
 * object, and for the kinds people meet first also what their fields must mean together. Lean on purpose: a rule
 * that is missing lets an object pass, it never refuses a good one. Objects are expected decoded and defaulted.
 */
import { parseApiVersion } from '../../../object/index.ts';
import type { FieldError } from '../field-error.ts';
import { type Fields, stringIn } from '../value.ts';
import { checkConfigMap, checkEvent, checkLease, checkSecret } from './config.ts';
import { checkFinalizerNames, checkMetadata, checkMetadataUpdate } from './metadata.ts';
import { nameRuleOf } from './names.ts';
import { checkPod } from './pod.ts';
import { checkMutatingBinding, checkMutatingPolicy, checkValidatingBinding, checkValidatingPolicy } from './policy.ts';
import { checkClusterRole, checkClusterRoleBinding, checkRole, checkRoleBinding } from './rbac.ts';
import { checkService } from './service.ts';
import { updateRules } from './update.ts';
import { checkWebhookConfiguration } from './webhook.ts';
import {
  checkCronJob,
  checkDaemonSet,
  checkDeployment,
  checkJob,
  checkReplicaSet,
  checkStatefulSet,
} from './workload.ts';

export { checkMetadata, checkMetadataUpdate, immutable } from './metadata.ts';
export { dnsSubdomainName } from './names.ts';
export { checkClientConfig } from './webhook.ts';

type Rule = (object: Fields, errors: FieldError[], old?: Fields) => void;

const rules: Readonly<Record<string, Rule>> = {
  '/Pod': checkPod,
  '/Service': checkService,
  '/ConfigMap': checkConfigMap,
  '/Event': checkEvent,
  'events.k8s.io/Event': checkEvent,
  '/Secret': checkSecret,
  'apps/Deployment': checkDeployment,
  'apps/ReplicaSet': checkReplicaSet,
  'apps/DaemonSet': checkDaemonSet,
  'apps/StatefulSet': checkStatefulSet,
  'batch/Job': checkJob,
  'batch/CronJob': checkCronJob,
  'coordination.k8s.io/Lease': checkLease,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': checkWebhookConfiguration,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': checkWebhookConfiguration,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': checkMutatingPolicy,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': checkMutatingBinding,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': checkValidatingPolicy,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': checkValidatingBinding,
  'rbac.authorization.k8s.io/Role': checkRole,
  'rbac.authorization.k8s.io/ClusterRole': checkClusterRole,
  'rbac.authorization.k8s.io/RoleBinding': checkRoleBinding,
  'rbac.authorization.k8s.io/ClusterRoleBinding': checkClusterRoleBinding,
};

interface RuleOptions {
  readonly isNamespaced: boolean;
}

/** The mistakes in an object that is to be created; its name is already generated. Custom resources: metadata only. */
export function validateCreate(object: Fields, { isNamespaced }: RuleOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { group, kind } = kindOf(object);
  checkMetadata(object, { isNamespaced, nameRule: nameRuleOf(group, kind) }, errors);
  if (isCoreGroup(group)) checkFinalizerNames(object, errors);
  rules[`${group}/${kind}`]?.(object, errors);
  return errors;
}

/** The mistakes in what is to replace `old`: what may not change, and everything else as for a new object. */
export function validateUpdate(old: Fields, updated: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const { group, kind } = kindOf(updated);
  checkMetadataUpdate(old, updated, errors);
  if (isCoreGroup(group)) checkFinalizerNames(updated, errors);
  rules[`${group}/${kind}`]?.(updated, errors, old);
  updateRules[`${group}/${kind}`]?.(old, updated, errors);
  return errors;
}

const coreGroups = [
  '',
  'apps',
  'autoscaling',
  'batch',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
];
const isCoreGroup = (group: string) => coreGroups.includes(group);

function kindOf(object: Fields): { group: string; kind: string } {
  return { group: parseApiVersion(stringIn(object, 'apiVersion')).group, kind: stringIn(object, 'kind') };
}
