import type { KubeObject } from '../../object/index.ts';
import { compilePolicy, type PolicyProgram } from '../../policy/index.ts';

const createdMs = Date.parse('2029-12-31T23:59:30Z');

/** A policy that deletes pods that are done. */
export function deletingPolicy(spec: object = {}, metadata: object = {}, kind = 'DeletingPolicy'): KubeObject {
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind,
    metadata: {
      name: 'p',
      uid: 'uid-p',
      generation: 1,
      creationTimestamp: new Date(createdMs).toISOString(),
      ...metadata,
    },
    spec: {
      schedule: '* * * * *',
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] },
      conditions: [{ name: 'done', expression: "object.status.phase == 'Succeeded'" }],
      ...spec,
    },
  };
}

export const namespacedPolicy = (namespace: string, spec: object = {}) =>
  deletingPolicy(spec, { namespace }, 'NamespacedDeletingPolicy');

export function programOf(policy: KubeObject): PolicyProgram {
  const { program, issues } = compilePolicy(policy);
  if (!program) throw new Error(issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return program;
}

/** A type as discovery returns it. */
export const served = (resource: string, kind: string, more: object = {}) => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced: true,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'get', 'list', 'watch'],
  subresources: [],
  isPreferredVersion: true,
  ...more,
});

export const pods = served('pods', 'Pod');

export const pod = (name: string, phase: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
  status: { phase },
});
