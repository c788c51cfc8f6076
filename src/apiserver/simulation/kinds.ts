import type { GroupVersionResource } from '../../object/index.ts';

const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
const apps = (resource: string): GroupVersionResource => ({ group: 'apps', version: 'v1', resource });
const batch = (resource: string): GroupVersionResource => ({ group: 'batch', version: 'v1', resource });

export const pods = core('pods');
export const nodes = core('nodes');
export const namespaces = core('namespaces');
export const serviceAccounts = core('serviceaccounts');
export const configMaps = core('configmaps');
export const services = core('services');
export const coreEvents = core('events');
export const volumes = core('persistentvolumes');
export const volumeClaims = core('persistentvolumeclaims');
export const replicationControllers = core('replicationcontrollers');
export const deployments = apps('deployments');
export const replicaSets = apps('replicasets');
export const statefulSets = apps('statefulsets');
export const daemonSets = apps('daemonsets');
export const controllerRevisions = apps('controllerrevisions');
export const jobs = batch('jobs');
export const cronJobs = batch('cronjobs');
export const leases: GroupVersionResource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
export const endpointSlices: GroupVersionResource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
};
export const storageClasses: GroupVersionResource = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'storageclasses',
};
