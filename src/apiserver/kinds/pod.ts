import type { KubeObject } from '../../object/index.ts';
import { part } from './strategy.ts';

interface Resources {
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly requests?: Readonly<Record<string, unknown>>;
}
interface Container {
  readonly resources?: Resources;
}

export function preparePod(object: KubeObject): KubeObject {
  return { ...object, status: { phase: 'Pending', qosClass: qosClass(part(object, 'spec')) } };
}

/** Guaranteed: every container limits cpu and memory and requests the same. BestEffort: no container sets either. */
function qosClass(spec: Readonly<Record<string, unknown>>): string {
  const containers = [
    ...((spec['containers'] as readonly Container[] | undefined) ?? []),
    ...((spec['initContainers'] as readonly Container[] | undefined) ?? []),
  ];
  const counted = ['cpu', 'memory'];
  const hasResources = ({ resources }: Container) =>
    counted.some((name) => resources?.limits?.[name] !== undefined || resources?.requests?.[name] !== undefined);
  if (!containers.some(hasResources)) return 'BestEffort';
  const isGuaranteed = ({ resources }: Container) =>
    counted.every((name) => {
      const limit = resources?.limits?.[name];
      return limit !== undefined && (resources?.requests?.[name] ?? limit) === limit;
    });
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

const tolerations = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/**
 * The real server's built-in admission of new pods: service account with its token volume, priority, and tolerations of
 * nodes that are not ready.
 */
export function admitPod(object: KubeObject, randomSuffix: () => string): KubeObject {
  const spec = part(object, 'spec');
  const present = (spec['tolerations'] as readonly { key?: string; effect?: string }[] | undefined) ?? [];
  const missing = tolerations.filter(
    ({ key }) => !present.some((t) => (t.key === key || !t.key) && (t.effect === 'NoExecute' || !t.effect)),
  );
  const account = (spec['serviceAccountName'] as string | undefined) || 'default';
  const admitted = {
    ...spec,
    serviceAccountName: account,
    serviceAccount: account,
    priority: spec['priority'] ?? 0,
    preemptionPolicy: spec['preemptionPolicy'] ?? 'PreemptLowerPriority',
    tolerations: [...present, ...missing],
  };
  return {
    ...object,
    spec: spec['automountServiceAccountToken'] === false ? admitted : withToken(admitted, randomSuffix),
  };
}

const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

type Mounted = Readonly<Record<string, unknown>> & {
  readonly volumeMounts?: readonly { readonly mountPath?: string }[];
};

function withToken(spec: Readonly<Record<string, unknown>>, randomSuffix: () => string): object {
  const lists = ['initContainers', 'containers'].filter((field) => Array.isArray(spec[field]));
  const lacks = (container: Mounted) => !container.volumeMounts?.some(({ mountPath }) => mountPath === tokenPath);
  if (!lists.some((field) => (spec[field] as readonly Mounted[]).some(lacks))) return spec;
  const name = `kube-api-access-${randomSuffix()}`;
  const mount = (container: Mounted) =>
    lacks(container)
      ? {
          ...container,
          volumeMounts: [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenPath }],
        }
      : container;
  const volumes = [...((spec['volumes'] as readonly object[] | undefined) ?? []), { name, projected: tokenSources }];
  const mounted: Record<string, unknown> = { ...spec, volumes };
  for (const field of lists) mounted[field] = (spec[field] as readonly Mounted[]).map(mount);
  return mounted;
}

const tokenSources = {
  defaultMode: 420,
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
};
