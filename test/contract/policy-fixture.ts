import { expect } from 'vitest';
import { eventually } from '../support/wait.ts';
import { expectCode, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';
import { configMapRule } from './webhook-fixture.ts';

export const registration = '/apis/admissionregistration.k8s.io/v1';
export const policies = `${registration}/validatingadmissionpolicies`;
export const bindings = `${registration}/validatingadmissionpolicybindings`;

export interface PolicyOptions {
  /** Of the policy, beside rules for ConfigMaps. */
  readonly spec?: Readonly<Record<string, unknown>> & { readonly matchConstraints?: object };
  readonly validations?: readonly object[];
  /** Of the binding, beside the namespace; several make several bindings. */
  readonly bindings?: readonly object[];
  /** Replaces the object by whose refusal a test finds out that the policy is in force. */
  readonly probe?: object;
}

export interface Installed {
  readonly policy: string;
  readonly bindings: readonly string[];
}

const isProbe = 'object != null && object.metadata.name == "probe"';
/** An expression that passes over the probe. */
export const orProbe = (expression: string) => `${isProbe} || (${expression})`;

/** Puts a policy in force in one namespace and waits until it refuses, or warns of, ConfigMaps called `probe`. */
export async function installPolicy(
  fixture: Fixture,
  namespace: string,
  {
    spec: { matchConstraints, ...spec } = {},
    validations = [],
    bindings: more = [{}],
    probe = configMap('probe'),
  }: PolicyOptions,
): Promise<Installed> {
  const name = fixture.unique('policy');
  await expectCode(
    fixture.api.post(policies, {
      metadata: { name },
      spec: {
        validations: [...validations, { expression: `!(${isProbe})`, message: 'this is a probe' }],
        ...spec,
        // A policy that is configured wrongly refuses what its own constraints match, whatever its bindings say.
        matchConstraints: {
          resourceRules: [configMapRule],
          namespaceSelector: inNamespace(namespace),
          ...matchConstraints,
        },
      },
    }),
    201,
  );
  const names: string[] = [];
  for (const [i, rest] of more.entries()) {
    names.push(`${name}-${i}`);
    await expectCode(fixture.api.post(bindings, binding(`${name}-${i}`, name, namespace, rest)), 201);
  }
  await eventually(async () => {
    const answer = await fixture.api.post(`/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, probe);
    expect(`${answer.text} ${answer.warnings.join()}`).toContain(name);
  });
  return { policy: name, bindings: names };
}

export const inNamespace = (namespace: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });

export const binding = (name: string, policyName: string, namespace: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    policyName,
    validationActions: ['Deny'],
    matchResources: { namespaceSelector: inNamespace(namespace) },
    ...spec,
  },
});

/** A new namespace and how ConfigMaps are made in it. */
export async function namespaceForPolicies(fixture: Fixture) {
  const namespace = await fixture.namespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return {
    namespace,
    path,
    post: (name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}) =>
      fixture.api.post(path, configMap(name, data, metadata)),
  };
}
