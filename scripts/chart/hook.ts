import {
  each,
  type InstallExpression,
  type InstallTemplate,
  ifAny,
  image,
  installation,
  joined,
  namespace,
  scalar,
  structure,
  text,
  value,
  when,
} from '../../src/app/chart/scope.ts';
import { sharedLabels } from '../../src/app/install-objects.ts';
import { allConfigurationNames } from '../../src/app/install-rbac.ts';
import { configurationTypes } from '../../src/webhook/index.ts';

/** Only Helm evaluates these: `supercargo install` has no hooks. */
const onlyHelm = <Value = unknown>(helm: string): InstallExpression<Value> => ({
  helm,
  read() {
    throw new Error(`${helm} is not for supercargo install`);
  },
});
const namesOf = (helper: string) => onlyHelm<readonly string[]>(`(include "${helper}" $ | fromJson).names`);
const servingParts = namesOf('supercargo.servingParts');
const formerParts = namesOf('supercargo.formerParts');
const anyParts = onlyHelm<readonly string[]>(`(concat ${servingParts.helm} ${formerParts.helm})`);
const allParts = onlyHelm<readonly unknown[]>('(include "supercargo.parts" $ | fromJson).parts');
const itemName = onlyHelm('$item.name');
const itemFeatures = onlyHelm('(join "," $item.features)');
const item = onlyHelm('$item');

const name = joined`${installation}-uninstall`;
const clusterName = joined`${installation}:${namespace}:uninstall`;

const event = (always: string) =>
  onlyHelm<string>(`(ternary "${always}" "${always},pre-upgrade" (empty ${formerParts.helm}))`);
const hook = (when: InstallTemplate, weight: number) => ({
  'helm.sh/hook': when,
  'helm.sh/hook-weight': String(weight),
  'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
});
const account = hook(scalar(event('pre-delete,post-rollback')), -10);
const rbac = 'rbac.authorization.k8s.io';
const configurations = {
  apiGroups: [configurationTypes.mutating.group],
  resources: [configurationTypes.mutating.resource, configurationTypes.validating.resource],
};
const bindings = { apiGroups: [rbac], resources: ['clusterrolebindings'] };

/** A Job that runs `supercargo uninstall --webhooks-only`. */
const job = (as: InstallExpression<string>, annotations: InstallTemplate, more: readonly InstallTemplate[]) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: scalar(as), namespace: scalar(namespace), labels: sharedLabels(), annotations },
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
              ...more,
            ],
            env: ifAny(value('extraEnv')),
            resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
            securityContext: structure(value('securityContext')),
          },
        ],
      },
    },
  },
});

/**
 * Removes webhooks before the pods that answer them: all when the release is deleted, and those of parts that an upgrade
 * removes. What the cluster runs is looked up, so that other upgrades need no Job. A rollback takes its hooks from the
 * release of then, which could not know: it removes them afterwards.
 */
export const uninstallHook: readonly InstallTemplate[] = [
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: scalar(name), namespace: scalar(namespace), labels: sharedLabels(), annotations: account },
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: scalar(clusterName), labels: sharedLabels(), annotations: account },
    rules: [
      { ...configurations, verbs: ['list'] },
      { ...configurations, resourceNames: allConfigurationNames as readonly InstallTemplate[], verbs: ['delete'] },
      { ...bindings, verbs: ['list'] },
      // Without its rights a running replica does not register them again.
      when(anyParts, {
        ...bindings,
        resourceNames: [each(anyParts, text`${installation}:${namespace}:${item}:webhooks`)],
        verbs: ['delete'],
      }),
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: scalar(clusterName), labels: sharedLabels(), annotations: account },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: scalar(clusterName) },
    subjects: [{ kind: 'ServiceAccount', name: scalar(name), namespace: scalar(namespace) }],
  },
  job(name, hook('pre-delete', 0), []),
  job(joined`${installation}-former-webhooks`, hook(scalar(event('post-rollback')), 0), [
    each(allParts, text`--keep-part=${itemName}=${itemFeatures}`),
  ]),
];
