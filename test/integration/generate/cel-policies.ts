import type { KubeObject } from '../../../src/object/index.ts';

type Enabled = { readonly enabled: boolean };

/** Of a policy of expressions that generates. */
interface Parts {
  readonly resources?: string;
  readonly operations?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly conditions?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly expression?: string;
  readonly template?: string;
  readonly evaluation?: Readonly<
    Partial<Record<'admission' | 'synchronize' | 'generateExisting' | 'orphanDownstreamOnPolicyDelete', Enabled>>
  >;
}

export const on: Enabled = { enabled: true };

/** A GeneratingPolicy for objects with these labels, or a NamespacedGeneratingPolicy with a namespace. */
export function generatingPolicy(name: string, parts: Parts, namespace?: string): KubeObject {
  const { resources = 'namespaces', operations = ['CREATE', 'UPDATE'], labels, conditions, variables } = parts;
  const { expression, template } = parts;
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: namespace === undefined ? 'GeneratingPolicy' : 'NamespacedGeneratingPolicy',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      ...(parts.evaluation ? { evaluation: parts.evaluation } : {}),
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: [resources] }],
        ...(labels ? { objectSelector: { matchLabels: labels } } : {}),
      },
      matchConditions: (conditions ?? []).map((text, i) => ({ name: `c${i}`, expression: text })),
      variables: Object.entries(variables ?? {}).map(([key, text]) => ({ name: key, expression: text })),
      generate: [
        template === undefined
          ? { expression: expression ?? '' }
          : { template: { value: template, interpolate: 'cel' } },
      ],
    },
  };
}

/** A ConfigMap `settings` in the namespace that triggers, with the level that its label names. */
export const settingsTemplate = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: (( object.metadata.name ))
data:
  level: (( object.metadata.labels.level ))
`;

interface MutationParts {
  readonly resources?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly conditions?: readonly string[];
  readonly targets?: object;
  /** An expression for an `Object{…}`. */
  readonly merged: string;
  readonly admission?: boolean;
}

/** A MutatingPolicy that changes stored objects, or a NamespacedMutatingPolicy with a namespace. */
export function mutateExistingPolicy(name: string, parts: MutationParts, namespace?: string): KubeObject {
  const { resources = 'configmaps', labels, conditions = [], targets, merged, admission = false } = parts;
  const operations = ['CREATE', 'UPDATE'];
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: namespace === undefined ? 'MutatingPolicy' : 'NamespacedMutatingPolicy',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      evaluation: { mutateExisting: on, admission: { enabled: admission } },
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: [resources] }],
        ...(labels ? { objectSelector: { matchLabels: labels } } : {}),
      },
      matchConditions: conditions.map((text, i) => ({ name: `c${i}`, expression: text })),
      ...(targets ? { targetMatchConstraints: targets } : {}),
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: merged } }],
    },
  };
}
