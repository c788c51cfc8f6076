import { any, boolean, integer, listOf, mapOf, object, oneOf, type Shape, string } from './shape.ts';

const failureAction = oneOf('audit', 'enforce', 'Audit', 'Enforce');

const labelSelector = object({
  matchLabels: mapOf(string),
  matchExpressions: listOf(object({ key: string, operator: string, values: listOf(string) }, ['key', 'operator'])),
});

const conditionList = listOf(object({ key: any, operator: string, value: any, message: string }));
const anyAllConditions = object({ any: conditionList, all: conditionList });

const credentials = object({
  allowInsecureRegistry: boolean,
  providers: listOf(oneOf('default', 'amazon', 'azure', 'google', 'github')),
  secrets: listOf(string),
});

const contextEntry = object(
  {
    name: string,
    variable: object({ value: any, jmesPath: string, default: any }),
    configMap: object({ name: string, namespace: string }, ['name']),
    apiCall: object({
      urlPath: string,
      method: oneOf('GET', 'POST'),
      data: listOf(object({ key: string, value: any }, ['key', 'value'])),
      service: object(
        { url: string, caBundle: string, headers: listOf(object({ key: string, value: string }, ['key', 'value'])) },
        ['url'],
      ),
      default: any,
      jmesPath: string,
    }),
    imageRegistry: object({ reference: string, jmesPath: string, imageRegistryCredentials: credentials }, [
      'reference',
    ]),
    globalReference: object({ name: string, jmesPath: string }, ['name']),
  },
  ['name'],
);
const context = listOf(contextEntry);

const resourceDescription = object({
  kinds: listOf(string),
  name: string,
  names: listOf(string),
  namespaces: listOf(string),
  annotations: mapOf(string),
  selector: labelSelector,
  namespaceSelector: labelSelector,
  operations: listOf(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
});

const filterFields = {
  resources: resourceDescription,
  roles: listOf(string),
  clusterRoles: listOf(string),
  subjects: listOf(object({ kind: string, name: string, namespace: string, apiGroup: string }, ['kind', 'name'])),
};
const resourceFilters = listOf(object(filterFields));
const matchBlock = object({ ...filterFields, any: resourceFilters, all: resourceFilters });

const overrides = listOf(
  object({ action: failureAction, namespaces: listOf(string), namespaceSelector: labelSelector }),
);

/** Conditions are an object with any and all, or a list: what is inside is looked at with the conditions. */
const deny = object({ conditions: any });

const forEachValidate = (): Shape =>
  object({
    list: string,
    elementScope: boolean,
    context,
    preconditions: anyAllConditions,
    pattern: any,
    anyPattern: any,
    deny,
    foreach: () => listOf(forEachValidate()),
  });

const exclusions = listOf(
  object({ controlName: string, images: listOf(string), restrictedField: string, values: listOf(string) }, [
    'controlName',
  ]),
);
const podSecurity = object({
  level: oneOf('privileged', 'baseline', 'restricted'),
  version: string,
  exclude: exclusions,
});

const validate = object({
  message: string,
  failureAction,
  failureActionOverrides: overrides,
  allowExistingViolations: boolean,
  pattern: any,
  anyPattern: any,
  deny,
  foreach: listOf(forEachValidate()),
  podSecurity,
  manifests: any,
  cel: object({
    generate: boolean,
    expressions: listOf(
      object({ expression: string, message: string, messageExpression: string, reason: string }, ['expression']),
    ),
    variables: listOf(object({ name: string, expression: string }, ['name', 'expression'])),
    auditAnnotations: listOf(object({ key: string, valueExpression: string }, ['key', 'valueExpression'])),
    paramKind: object({ apiVersion: string, kind: string }),
    paramRef: object({
      name: string,
      namespace: string,
      selector: any,
      parameterNotFoundAction: oneOf('Allow', 'Deny'),
    }),
  }),
  assert: any,
});

const forEachMutate = (): Shape =>
  object({
    list: string,
    order: oneOf('Ascending', 'Descending'),
    context,
    preconditions: anyAllConditions,
    patchStrategicMerge: any,
    patchesJson6902: string,
    foreach: () => listOf(forEachMutate()),
  });

const resourceSpec = { apiVersion: string, kind: string, namespace: string, name: string, uid: string };

const mutate = object({
  mutateExistingOnPolicyUpdate: boolean,
  targets: listOf(object({ ...resourceSpec, selector: labelSelector, context, preconditions: any })),
  patchStrategicMerge: any,
  patchesJson6902: string,
  foreach: listOf(forEachMutate()),
});

const generatePattern = {
  ...resourceSpec,
  data: any,
  clone: object({ namespace: string, name: string }),
  cloneList: object({ namespace: string, kinds: listOf(string), selector: labelSelector }),
};

const generate = object({
  ...generatePattern,
  generateExisting: boolean,
  synchronize: boolean,
  orphanDownstreamOnPolicyDelete: boolean,
  foreach: listOf(object({ ...generatePattern, list: string, context, preconditions: anyAllConditions })),
});

const rekor = object({ url: string, pubkey: string, ignoreTlog: boolean });
const ctlog = object({ ignoreSCT: boolean, pubkey: string, tsaCertChain: string });
const attestorSets = listOf(
  object({
    count: { type: 'integer', min: 1, max: 1000 },
    entries: listOf(
      object({
        keys: object({
          publicKeys: string,
          signatureAlgorithm: string,
          kms: string,
          secret: object({ name: string, namespace: string }, ['name', 'namespace']),
          rekor,
          ctlog,
        }),
        certificates: object({ cert: string, certChain: string, rekor, ctlog }),
        keyless: object({
          rekor,
          ctlog,
          issuer: string,
          issuerRegExp: string,
          subject: string,
          subjectRegExp: string,
          roots: string,
          additionalExtensions: mapOf(string),
        }),
        attestor: any,
        annotations: mapOf(string),
        repository: string,
        signatureAlgorithm: string,
      }),
    ),
  }),
);

const verifyImages = listOf(
  object({
    failureAction,
    type: oneOf('Cosign', 'SigstoreBundle', 'Notary'),
    image: string,
    imageReferences: listOf(string),
    skipImageReferences: listOf(string),
    key: string,
    roots: string,
    subject: string,
    issuer: string,
    additionalExtensions: mapOf(string),
    attestors: attestorSets,
    attestations: listOf(
      object({
        name: string,
        predicateType: string,
        type: string,
        attestors: attestorSets,
        conditions: listOf(anyAllConditions),
      }),
    ),
    annotations: mapOf(string),
    repository: string,
    cosignOCI11: boolean,
    mutateDigest: boolean,
    verifyDigest: boolean,
    validate: object({ message: string, deny }),
    required: boolean,
    imageRegistryCredentials: credentials,
    useCache: boolean,
  }),
);

const rule = object(
  {
    name: { type: 'string', maxLength: 63 },
    context,
    match: matchBlock,
    exclude: matchBlock,
    preconditions: any,
    celPreconditions: listOf(object({ name: string, expression: string }, ['name', 'expression'])),
    validate,
    mutate,
    generate,
    verifyImages,
    imageExtractors: mapOf(
      listOf(object({ path: string, value: string, name: string, key: string, jmesPath: string }, ['path'])),
    ),
    skipBackgroundRequests: boolean,
    reportProperties: mapOf(string),
  },
  ['name', 'match'],
);

const spec = object({
  rules: listOf(rule),
  applyRules: oneOf('All', 'One'),
  admission: boolean,
  background: boolean,
  emitWarning: boolean,
  failurePolicy: oneOf('Ignore', 'Fail'),
  generateExisting: boolean,
  generateExistingOnPolicyUpdate: boolean,
  mutateExistingOnPolicyUpdate: boolean,
  schemaValidation: boolean,
  useServerSideApply: boolean,
  validationFailureAction: failureAction,
  validationFailureActionOverrides: overrides,
  webhookConfiguration: object({
    failurePolicy: oneOf('Ignore', 'Fail'),
    timeoutSeconds: integer,
    matchConditions: listOf(object({ name: string, expression: string }, ['name', 'expression'])),
  }),
  webhookTimeoutSeconds: integer,
});

/** A ClusterPolicy or Policy. Metadata beyond what is used here is the API server's to check. */
export const policyShape: Shape = object({ apiVersion: string, kind: string, metadata: any, spec, status: any }, [
  'apiVersion',
  'kind',
  'metadata',
  'spec',
]);

export const metadataShape: Shape = object({
  name: string,
  namespace: string,
  annotations: mapOf(string),
  labels: mapOf(string),
});

/** What a PolicyException says; versions of it differ only in what may be left out. */
export const exceptionSpecShape: Shape = object({
  exceptions: listOf(object({ policyName: string, ruleNames: listOf(string) }, ['policyName'])),
  match: matchBlock,
  conditions: any,
  podSecurity: exclusions,
  background: boolean,
});
