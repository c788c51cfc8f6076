/** What a tenant of namespace `tenant` writes in policies of expressions to reach namespace `victim`. */

export interface CelPolicy {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const group = '/apis/policies.kyverno.io/v1';
const ofTenant = (plural: string) => `${group}/namespaces/tenant/namespaced${plural}`;
export const paths = {
  validating: ofTenant('validatingpolicies'),
  mutating: ofTenant('mutatingpolicies'),
  generating: ofTenant('generatingpolicies'),
  deleting: ofTenant('deletingpolicies'),
  exceptions: `${group}/namespaces/tenant/policyexceptions`,
  validatingOfVictim: `${group}/namespaces/victim/namespacedvalidatingpolicies`,
  validatingOfCluster: `${group}/validatingpolicies`,
  globalContext: '/apis/kyverno.io/v2/globalcontextentries',
};

/** For ConfigMaps with the name of the policy. */
function policy(kind: string, name: string, spec: object): CelPolicy {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const matchConstraints = { resourceRules: [{ ...rule, resourceNames: [name] }] };
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind,
    metadata: { name },
    spec: { matchConstraints, ...spec },
  } as CelPolicy;
}

const withoutScans = { background: { enabled: false } };

export const validating = (name: string, expression: string, kind = 'NamespacedValidatingPolicy') =>
  policy(kind, name, { evaluation: withoutScans, validations: [{ expression, message: 'no' }] });

const job =
  "{'apiVersion': dyn('batch/v1'), 'kind': dyn('Job'), 'metadata': dyn({'name': 'cel-posted'}), 'spec': dyn({'template': {'spec': {'restartPolicy': dyn('Never'), 'containers': dyn([{'name': 'c', 'image': 'i'}])}}})}";
export const postToOwn = `resource.Post('batch/v1', 'jobs', ${job}).metadata.name == ''`;
export const postToVictim = `resource.Post('batch/v1', 'jobs', 'victim', ${job}).metadata.name == ''`;
export const metadataService = "http.Get('http://169.254.169.254/latest/meta-data').statusCode == 0";
export const ownService = "http.Get('http://169.254.1.1:8080/').statusCode == 0";
export const secretOfVictim = "resource.Get('v1', 'secrets', 'victim', 'token').data.key != ''";
/** A service of the machine, which answers `{"answer": "the-answer"}`. */
export const serviceAt = (url: string) => `http.Get('${url}').answer == 'the-answer'`;
export const globalContext = "globalContext.Get('tenant-matrix').exists(one, one.data.key == 'the-setting')";

export const globalEntry: object = {
  apiVersion: 'kyverno.io/v2',
  kind: 'GlobalContextEntry',
  metadata: { name: 'tenant-matrix' },
  spec: { kubernetesResource: { version: 'v1', resource: 'configmaps', namespace: 'victim' } },
};

/** The registry is a service of the machine's cloud. */
const imageOfCloud = "image.GetMetadata('169.254.169.254/latest/meta-data:1').registry == ''";

/** A look-up that leads out, with what its refusal says. */
export const lookUps: readonly (readonly [name: string, expression: string, refusal: RegExp])[] = [
  ['cel-secret', "resource.Get('v1', 'secrets', 'own').data.key == ''", /may not look up secrets/],
  ['cel-secrets', "resource.List('v1', 'secrets').items.size() == 0", /may not look up secrets/],
  ['cel-path', "resource.Get('v1', 'configmaps', '../../victim/configmaps/settings').data.key == ''", /is not valid/],
  ['cel-version', "resource.Get('v1/namespaces/victim', 'configmaps', 'settings').data.key == ''", /is not valid/],
  ['cel-plural', "resource.Get('v1', 'configmaps/../../victim', 'settings').data.key == ''", /is not valid/],
  ['cel-log', "resource.Get('v1', 'pods/log', 'own').data == ''", /may only look up objects of its namespace/],
  ['cel-post', postToOwn, /may POST LocalSubjectAccessReviews of its namespace only/],
  ['cel-http', metadataService, /may not call services/],
  ['cel-http-post', "http.Post('http://10.0.0.1/', {'a': 1}).statusCode == 0", /may not call services/],
  ['cel-global', globalContext, /may not read global context entries/],
  ['cel-image', imageOfCloud, /169\.254\.169\.254/],
];

/** What every kind of policy of a namespace may try, in the words of its own fields. */
const lookUpsOfAllKinds: ReadonlySet<string> = new Set([
  ...['cel-secret', 'cel-secrets', 'cel-path', 'cel-post', 'cel-http', 'cel-http-post', 'cel-global', 'cel-image'],
]);
export const lookUpsOf = (kind: string) =>
  lookUps
    .filter(([name]) => lookUpsOfAllKinds.has(name))
    .map(([name, expression, refusal]) => [`${name}-${kind}`, expression, refusal] as const);

/** Deletes all ConfigMaps that the condition holds for, every second. */
export const deleting = (name: string, condition: string): CelPolicy => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'NamespacedDeletingPolicy',
    metadata: { name },
    spec: {
      schedule: '@every 1s',
      matchConstraints: { resourceRules: [rule] },
      conditions: [{ name: 'c', expression: condition }],
    },
  } as CelPolicy;
};

const objectOf = (kind: string, apiVersion: string, namespace?: string) =>
  `{'apiVersion': dyn('${apiVersion}'), 'kind': dyn('${kind}'), 'metadata': dyn({'name': 'cel-made'${namespace ? `, 'namespace': '${namespace}'` : ''}})}`;

/** The functions of a namespaced policy take no namespace: such expressions do not compile. */
export const namingNamespaces: readonly (readonly [path: string, policy: CelPolicy])[] = [
  [paths.validating, validating('cel-get', "resource.Get('v1', 'secrets', 'victim', 'token').data.key == ''")],
  [paths.validating, validating('cel-list', "resource.List('v1', 'secrets', 'victim', {'a': 'b'}).items == []")],
  [paths.validating, validating('cel-post-there', postToVictim)],
  [paths.generating, generating('cel-apply', `generator.Apply('victim', [${objectOf('ConfigMap', 'v1')}])`)],
  [paths.generating, generating('cel-clone', "generator.Apply([resource.Get('v1', 'secrets', 'victim', 'token')])")],
];

export function generating(name: string, expression: string): CelPolicy {
  return policy('NamespacedGeneratingPolicy', name, { generate: [{ expression }] });
}

/** Generates an object with what a look-up finds. */
export const generatingOf = (name: string, expression: string) =>
  generating(
    name,
    `generator.Apply([{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': '${name}-' + string(${expression})}}])`,
  );

export function generatingFrom(name: string, value: string): CelPolicy {
  return policy('NamespacedGeneratingPolicy', name, { generate: [{ template: { value } }] });
}

const rbac = 'rbac.authorization.k8s.io/v1';
/** What is in no namespace, with the path where it would be. */
export const clusterScoped: readonly (readonly [name: string, expression: string, path: string])[] = (
  [
    ['Namespace', 'v1', '/api/v1/namespaces'],
    ['ClusterRole', rbac, `/apis/${rbac}/clusterroles`],
    [
      'ValidatingWebhookConfiguration',
      'admissionregistration.k8s.io/v1',
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    ],
  ] as const
).map(([kind, apiVersion, path]) => [
  `cel-${kind.toLowerCase()}`,
  `generator.Apply([${objectOf(kind, apiVersion)}, ${objectOf(kind, apiVersion, 'tenant')}])`,
  `${path}/cel-made`,
]);

/** Of the cluster and bound to the attacker, which rights of ours would allow. */
export const bindingOfCluster = (name: string) =>
  generating(
    name,
    `generator.Apply([{'apiVersion': '${rbac}', 'kind': 'ClusterRoleBinding', 'metadata': {'name': '${name}'}, 'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole', 'name': 'view'}, 'subjects': [{'kind': 'ServiceAccount', 'name': 'attacker', 'namespace': 'tenant'}]}])`,
  );

/** In the namespace of the tenant, to a role that the tenant does not have. */
export const bindingOfNamespace = (name: string) =>
  generating(
    name,
    `generator.Apply([{'apiVersion': '${rbac}', 'kind': 'RoleBinding', 'metadata': {'name': '${name}'}, 'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole', 'name': 'cluster-admin'}, 'subjects': [{'kind': 'ServiceAccount', 'name': 'attacker', 'namespace': 'tenant'}]}])`,
  );

/** Objects that say themselves where they are: one in a list, one of a template. */
export const listedElsewhere = (name: string) =>
  generating(
    name,
    `generator.Apply([{'apiVersion': 'v1', 'kind': 'ConfigMapList', 'items': [{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': '${name}-made', 'namespace': 'victim'}}]}])`,
  );
export const renderedElsewhere = (name: string) =>
  generatingFrom(name, `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}-made, namespace: victim}}`);
export const ownSecret = (name: string) => generating(name, "generator.Apply([resource.Get('v1', 'secrets', 'own')])");

const labelled = {
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'owned': 'yes'}}}" },
};
/** Writes into a ConfigMap what a look-up finds. */
export const writing = (name: string, expression: string) =>
  policy('NamespacedMutatingPolicy', name, {
    evaluation: withoutScans,
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression: `[JSONPatch{op: 'add', path: '/data', value: {'found': string(${expression})}}]`,
        },
      },
    ],
  });
export const labelling = (name: string) =>
  policy('NamespacedMutatingPolicy', name, { evaluation: withoutScans, mutations: [labelled] });
export const moving = (name: string) =>
  policy('NamespacedMutatingPolicy', name, {
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: { expression: "[JSONPatch{op: 'replace', path: '/metadata/namespace', value: 'victim'}]" },
      },
    ],
  });

export const labellingTargets = (name: string, target: string) =>
  policy('NamespacedMutatingPolicy', name, {
    evaluation: { mutateExisting: { enabled: true } },
    targetMatchConstraints: { expression: target },
    mutations: [labelled],
  });
/** A target is what a look-up gives; here its fields are replaced by others. */
const forged = (kind: string, name: string, namespace?: string) => {
  const metadata = `{'name': '${name}'${namespace ? `, 'namespace': '${namespace}'` : ''}}`;
  return `resource.Get('v1', 'configmaps', 'forged').transformMap(k, v, k == 'kind' ? dyn('${kind}') : k == 'metadata' ? dyn(${metadata}) : v)`;
};
export const targets: readonly (readonly [name: string, target: string])[] = [
  ['cel-target', forged('ConfigMap', 'settings', 'victim')],
  ['cel-target-cluster', forged('Namespace', 'victim')],
  ['cel-target-forged', forged('Namespace', 'victim', 'tenant')],
  [
    'cel-target-list',
    `resource.List('v1', 'configmaps').transformMap(k, v, k == 'items' ? dyn([${objectOf('ConfigMap', 'v1', 'victim').replace('cel-made', 'settings')}]) : v)`,
  ],
];

/** An exception that asks something before it exempts. */
export const askingExemption = (name: string, kind: string, expression: string): object => ({
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'PolicyException',
  metadata: { name },
  spec: { policyRefs: [{ name, kind }], matchConditions: [{ name: 'asks', expression }] },
});

export const exemption = (name: string, kind: string): object => ({
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'PolicyException',
  metadata: { name },
  spec: { policyRefs: [{ name, kind }] },
});
