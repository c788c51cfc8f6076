import {
  type InstallTemplate,
  ifAny,
  image,
  installation,
  joined,
  namespace,
  scalar,
  structure,
  value,
} from '../../src/app/chart/scope.ts';
import { sharedLabels } from '../../src/app/install-objects.ts';
import { configurationTypes } from '../../src/webhook/index.ts';

const name = joined`${installation}-uninstall`;
const clusterName = joined`${installation}:${namespace}:uninstall`;
const hook = (weight: number) => ({
  'helm.sh/hook': 'pre-delete',
  'helm.sh/hook-weight': String(weight),
  'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
});
const rbac = 'rbac.authorization.k8s.io';

/** Removes the webhooks before the pods that answer them: `supercargo uninstall --webhooks-only`. */
export const uninstallHook: readonly InstallTemplate[] = [
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: scalar(name), namespace: scalar(namespace), labels: sharedLabels(), annotations: hook(-10) },
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: scalar(clusterName), labels: sharedLabels(), annotations: hook(-10) },
    rules: [
      {
        apiGroups: [configurationTypes.mutating.group],
        resources: [configurationTypes.mutating.resource, configurationTypes.validating.resource],
        verbs: ['list', 'delete'],
      },
      // Without its rights a running replica does not register them again.
      { apiGroups: [rbac], resources: ['clusterrolebindings'], verbs: ['list', 'delete'] },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: scalar(clusterName), labels: sharedLabels(), annotations: hook(-10) },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: scalar(clusterName) },
    subjects: [{ kind: 'ServiceAccount', name: scalar(name), namespace: scalar(namespace) }],
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: scalar(name), namespace: scalar(namespace), labels: sharedLabels(), annotations: hook(0) },
    spec: {
      backoffLimit: 3,
      activeDeadlineSeconds: 180,
      template: {
        metadata: { labels: sharedLabels({ 'app.kubernetes.io/component': 'uninstall' }) },
        spec: {
          serviceAccountName: scalar(name),
          restartPolicy: 'Never',
          imagePullSecrets: ifAny(value('imagePullSecrets')),
          securityContext: structure(value('podSecurityContext')),
          nodeSelector: ifAny(value('nodeSelector')),
          tolerations: ifAny(value('tolerations')),
          containers: [
            {
              name: 'uninstall',
              image: scalar(image),
              imagePullPolicy: scalar(value('image.pullPolicy')),
              args: [
                'uninstall',
                '--webhooks-only',
                '--installation',
                scalar(installation),
                '--namespace',
                scalar(namespace),
              ],
              env: ifAny(value('extraEnv')),
              resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
              securityContext: structure(value('securityContext')),
            },
          ],
        },
      },
    },
  },
];
