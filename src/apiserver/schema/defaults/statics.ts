import type { Fields } from '../value.ts';

const core = 'io.k8s.api.core.v1.';
const admission = 'io.k8s.api.admissionregistration.v1.';
const networking = 'io.k8s.api.networking.v1.';
const storage = 'io.k8s.api.storage.v1.';

const webhook = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** Defaults that depend on nothing, by the definition they belong to. */
export const staticDefaults: Readonly<Record<string, Fields>> = {
  [`${core}ContainerPort`]: { protocol: 'TCP' },
  [`${core}HTTPGetAction`]: { path: '/', scheme: 'HTTP' },
  [`${core}GRPCAction`]: { service: '' },
  [`${core}SecretVolumeSource`]: { defaultMode: 420 },
  [`${core}ConfigMapVolumeSource`]: { defaultMode: 420 },
  [`${core}DownwardAPIVolumeSource`]: { defaultMode: 420 },
  [`${core}ProjectedVolumeSource`]: { defaultMode: 420 },
  [`${core}HostPathVolumeSource`]: { type: '' },
  [`${core}ISCSIVolumeSource`]: { iscsiInterface: 'default' },
  [`${core}RBDVolumeSource`]: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  [`${core}ScaleIOVolumeSource`]: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
  [`${core}AzureDiskVolumeSource`]: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  [`${core}ServiceAccountTokenProjection`]: { expirationSeconds: 3600 },
  [`${core}ObjectFieldSelector`]: { apiVersion: 'v1' },
  // Not a default in name: Go writes this quantity even when it is zero.
  [`${core}ResourceFieldSelector`]: { divisor: '0' },
  [`${core}PersistentVolumeSpec`]: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
  [`${core}PersistentVolumeStatus`]: { phase: 'Pending' },
  [`${core}PersistentVolumeClaimSpec`]: { volumeMode: 'Filesystem' },
  [`${core}PersistentVolumeClaimStatus`]: { phase: 'Pending' },
  [`${core}NamespaceStatus`]: { phase: 'Active' },
  [`${core}EndpointPort`]: { protocol: 'TCP' },
  [`${core}ReplicationControllerSpec`]: { replicas: 1 },

  'io.k8s.api.apps.v1.ReplicaSetSpec': { replicas: 1 },
  'io.k8s.api.batch.v1.CronJobSpec': {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern': { status: 'True' },

  [`${admission}ValidatingWebhook`]: webhook,
  [`${admission}MutatingWebhook`]: { ...webhook, reinvocationPolicy: 'Never' },
  [`${admission}RuleWithOperations`]: { scope: '*' },
  [`${admission}NamedRuleWithOperations`]: { scope: '*' },
  [`${admission}ServiceReference`]: { port: 443 },
  [`${admission}ValidatingAdmissionPolicySpec`]: { failurePolicy: 'Fail' },
  [`${admission}MutatingAdmissionPolicySpec`]: { failurePolicy: 'Fail' },
  [`${admission}MatchResources`]: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },

  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference': { port: 443 },
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference': { port: 443 },

  'io.k8s.api.rbac.v1.RoleRef': { apiGroup: 'rbac.authorization.k8s.io' },
  [`${networking}NetworkPolicyPort`]: { protocol: 'TCP' },
  [`${networking}IngressClassParametersReference`]: { scope: 'Cluster' },
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1, targetCPUUtilizationPercentage: 80 },
  'io.k8s.api.discovery.v1.EndpointPort': { name: '', protocol: 'TCP' },
  'io.k8s.api.scheduling.v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  [`${storage}StorageClass`]: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  [`${storage}CSIDriverSpec`]: {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
    volumeLifecycleModes: ['Persistent'],
  },
};

/** As `staticDefaults`, for numbers where zero means "not set". */
export const zeroDefaults: Readonly<Record<string, Fields>> = {
  [`${core}Probe`]: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  'io.k8s.api.flowcontrol.v1.FlowSchemaSpec': { matchingPrecedence: 1000 },
  'io.k8s.api.flowcontrol.v1.QueuingConfiguration': { handSize: 8, queues: 64, queueLengthLimit: 50 },
};
