import type { GroupVersionResource, KubeObject } from '../object/index.ts';
import type { Identity } from './identity.ts';

interface BootstrapObject {
  readonly type: GroupVersionResource;
  readonly object: KubeObject;
}

const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
const rbac = (resource: string): GroupVersionResource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});

/** The objects of a new cluster. */
export function bootstrapObjects(identity: Identity): readonly BootstrapObject[] {
  return [
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
      type: core('namespaces'),
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    })),
    {
      type: core('services'),
      object: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'kubernetes',
          namespace: 'default',
          labels: { component: 'apiserver', provider: 'kubernetes' },
        },
        spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
      },
    },
    {
      type: core('configmaps'),
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
        data: { 'client-ca-file': identity.authority.certPem },
      },
    },
    {
      type: rbac('clusterroles'),
      object: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'cluster-admin', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
        rules: [
          { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
          { nonResourceURLs: ['*'], verbs: ['*'] },
        ],
      },
    },
    {
      type: rbac('clusterrolebindings'),
      object: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'cluster-admin', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:masters' }],
      },
    },
  ];
}
