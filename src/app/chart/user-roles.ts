import { sharedLabels } from '../install-objects.ts';
import { type InstallTemplate, installation, namespace, text } from './scope.ts';

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** What users of the cluster roles view, edit and admin may do with our kinds; each includes the one before. */
const rules = {
  view: [
    {
      apiGroups: ['automation.gitops.io'],
      resources: ['imageresourcepolicies', 'resourcetemplates', 'imagedetecteds'],
      verbs: read,
    },
    { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: read },
    { apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports'], verbs: read },
    { apiGroups: ['kyverno.io'], resources: ['policies', 'policyexceptions'], verbs: read },
  ],
  edit: [
    { apiGroups: ['automation.gitops.io'], resources: ['imageresourcepolicies', 'resourcetemplates'], verbs: write },
  ],
  admin: [{ apiGroups: ['kyverno.io'], resources: ['policies', 'policyexceptions'], verbs: write }],
};

/** Detections, copies and reports are written by the program alone. */
export const userRoles: readonly InstallTemplate[] = Object.entries(rules).map(([role, allowed]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {
    name: text`${installation}:${namespace}:aggregate-to-${{ helm: JSON.stringify(role), read: () => role }}`,
    labels: sharedLabels({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' }),
  },
  rules: allowed,
}));
