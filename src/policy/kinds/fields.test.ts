import { describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../api/index.ts';
import { isJsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { compileException, compilePolicy } from '../index.ts';

/** Every field that Kyverno 1.19 and its published API know, set to something. */
const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['pods'],
  resourceNames: ['web'],
  scope: 'Namespaced',
};
const selector = {
  matchLabels: { a: 'b' },
  matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
};
const constraints = {
  resourceRules: [rule],
  excludeResourceRules: [rule],
  namespaceSelector: selector,
  objectSelector: selector,
  matchPolicy: 'Exact',
};
const shared = {
  matchConstraints: constraints,
  matchConditions: [{ name: 'c', expression: 'true' }],
  variables: [{ name: 'v', expression: '1' }],
  webhookConfiguration: { timeoutSeconds: 5 },
};
const switched = { enabled: true };
const evaluation = { mode: 'Kubernetes', admission: switched, background: { enabled: true, interval: '15m' } };
const autogen = (field: string) => ({ podControllers: { controllers: ['deployments'] }, [field]: switched });

const specs: Readonly<Record<string, object>> = {
  ValidatingPolicy: {
    ...shared,
    failurePolicy: 'Ignore',
    validations: [{ expression: 'true', message: 'm', messageExpression: "'m'", reason: 'Invalid' }],
    auditAnnotations: [{ key: 'k', valueExpression: "'v'" }],
    validationActions: ['Deny', 'Audit'],
    autogen: autogen('validatingAdmissionPolicy'),
    evaluation,
  },
  MutatingPolicy: {
    ...shared,
    failurePolicy: 'Fail',
    mutations: [
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } },
      { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/metadata/labels"}]' } },
    ],
    targetMatchConstraints: constraints,
    autogen: autogen('mutatingAdmissionPolicy'),
    evaluation: {
      ...evaluation,
      mutateExisting: switched,
      skipBackgroundRequests: false,
      useServerSideApply: true,
    },
    reinvocationPolicy: 'IfNeeded',
  },
  GeneratingPolicy: {
    ...shared,
    generate: [{ expression: "generator.Apply('a', [object])" }, { template: { value: 'a: b', interpolate: 'none' } }],
    useServerSideApply: true,
    evaluation: {
      admission: switched,
      generateExisting: switched,
      synchronize: switched,
      orphanDownstreamOnPolicyDelete: switched,
      skipBackgroundRequests: false,
    },
  },
  DeletingPolicy: {
    matchConstraints: constraints,
    conditions: [{ name: 'c', expression: 'true' }],
    variables: [{ name: 'v', expression: '1' }],
    schedule: '* * * * *',
    deletionPropagationPolicy: 'Orphan',
  },
  PolicyException: {
    policyRefs: [{ name: 'p', kind: 'ValidatingPolicy' }],
    matchConditions: [{ name: 'c', expression: 'true' }],
    images: ['a'],
    allowedValues: ['a'],
    reportResult: 'pass',
    expiresAt: '2100-01-01T00:00:00Z',
    properties: { ticket: '1' },
    evaluationMode: 'Kubernetes',
  },
};

const withoutEffect: Readonly<Record<string, readonly string[]>> = {
  ValidatingPolicy: [
    'spec.autogen.validatingAdmissionPolicy.enabled',
    'spec.evaluation.background.interval',
    'spec.validations[0].reason',
  ],
  MutatingPolicy: [
    'spec.autogen.mutatingAdmissionPolicy.enabled',
    'spec.evaluation.background.interval',
    'spec.evaluation.skipBackgroundRequests',
  ],
  GeneratingPolicy: ['spec.useServerSideApply', 'spec.evaluation.skipBackgroundRequests'],
};

const versions = ['v1', 'v1beta1', 'v1alpha1'];
const kinds = Object.keys(specs);

describe.each(kinds)('the fields of a %s', (kind) => {
  const object = (version: string) => ({
    apiVersion: `policies.kyverno.io/${version}`,
    kind,
    metadata: { name: 'p', namespace: kind === 'PolicyException' ? 'default' : undefined },
    spec: specs[kind],
  });

  it.each(versions)('are accepted, with a warning where they change nothing (%s)', (version) => {
    const { program, issues } =
      kind === 'PolicyException' ? compileException(object(version)) : compilePolicy(object(version));
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(program).toBeDefined();
    expect(issues.map(({ path }) => path)).toEqual(withoutEffect[kind] ?? []);
  });

  it.each(versions)('are kept by the definition (%s)', (version) => {
    const definition = customResourceDefinitions('x').find(
      (crd) => namesOf(crd).kind === kind && namesOf(crd).group === 'policies.kyverno.io',
    );
    const served = versionsOf(definition as KubeObject).find(({ name }) => name === version);
    expect(pruned(specs[kind], served?.schema.openAPIV3Schema.properties?.['spec'], 'spec')).toEqual([]);
  });
});

it('warns of nothing that is switched off', () => {
  const { issues } = compilePolicy({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      // Annotations alone are a policy, too.
      auditAnnotations: [{ key: 'k', valueExpression: "'v'" }],
      autogen: { validatingAdmissionPolicy: { enabled: false } },
    },
  });
  expect(issues).toEqual([]);
});

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode;
}

const namesOf = (crd: KubeObject) => {
  const { group, names } = crd['spec'] as { readonly group: string; readonly names: { readonly kind: string } };
  return { group, kind: names.kind };
};

const versionsOf = (crd: KubeObject) =>
  (crd['spec'] as { readonly versions: readonly { name: string; schema: { openAPIV3Schema: SchemaNode } }[] }).versions;

/** The fields that an API server would drop. */
function pruned(value: unknown, schema: SchemaNode | undefined, path: string): readonly string[] {
  if (!schema) return [path];
  if (Array.isArray(value)) return value.flatMap((item, i) => pruned(item, schema.items, `${path}[${i}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    pruned(field, schema.properties?.[key] ?? schema.additionalProperties, `${path}.${key}`),
  );
}
