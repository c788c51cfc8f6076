import { describe, expect, it } from 'vitest';
import type { DiscoveredType } from '../kube/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { defaultResourceFilters, parseResourceFilters } from './resource-filters.ts';
import { webhookRules } from './webhook-rules.ts';

const type = (
  group: string,
  version: string,
  kind: string,
  resource: string,
  { namespaced = true, subresources = [] as readonly string[] } = {},
): DiscoveredType => ({
  group,
  version,
  kind,
  resource,
  namespaced,
  subresources,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: [],
  isPreferredVersion: true,
});
const types = [
  type('', 'v1', 'Pod', 'pods', { subresources: ['exec', 'ephemeralcontainers', 'status'] }),
  type('', 'v1', 'ConfigMap', 'configmaps'),
  type('', 'v1', 'Namespace', 'namespaces', { namespaced: false }),
  type('', 'v1', 'Event', 'events'),
  type('apps', 'v1', 'Deployment', 'deployments', { subresources: ['scale', 'status'] }),
  type('apps', 'v1', 'ReplicaSet', 'replicasets'),
  type('batch', 'v1', 'CronJob', 'cronjobs'),
  type('batch', 'v1beta1', 'CronJob', 'cronjobs'),
];

const rulesOf = (
  match: object,
  body: object = { validate: { message: 'm', pattern: { metadata: { name: '?*' } } } },
  kind = 'ClusterPolicy',
) => {
  const { program, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind,
    metadata: { name: 'p', annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' } },
    spec: { background: false, rules: [{ name: 'r', match, ...body }] },
  });
  if (!program) throw new Error(JSON.stringify(issues));
  return webhookRules([program], () => true, types, parseResourceFilters(defaultResourceFilters)).map(
    ({ operations, apiGroups, apiVersions, resources, scope }) =>
      `${apiGroups}/${apiVersions} ${resources.join(',')} ${operations.join(',')} ${scope}`,
  );
};
const any = (...resources: readonly object[]) => ({ any: resources.map((one) => ({ resources: one })) });
const deny = {
  validate: { message: 'm', deny: { conditions: { any: [{ key: 'a', operator: 'Equals', value: 'b' }] } } },
};
const mutate = { mutate: { patchStrategicMerge: { metadata: { labels: { a: 'b' } } } } };

describe('the rules of a webhook', () => {
  it('name the kinds of a rule, pods with their ephemeral containers, for writes alone', () => {
    expect(rulesOf(any({ kinds: ['Pod'] }))).toEqual(['/v1 pods,pods/ephemeralcontainers CREATE,UPDATE Namespaced']);
  });

  it('ask about deletions only where conditions could refuse one', () => {
    expect(rulesOf(any({ kinds: ['ConfigMap'] }), deny)).toEqual(['/v1 configmaps CREATE,UPDATE,DELETE Namespaced']);
    expect(rulesOf(any({ kinds: ['ConfigMap'] }), mutate)).toEqual(['/v1 configmaps CREATE,UPDATE Namespaced']);
  });

  it('keep the operations of each filter to its kinds', () => {
    expect(
      rulesOf(
        any({ kinds: ['ConfigMap'], operations: ['CREATE'] }, { kinds: ['Deployment'], operations: ['DELETE'] }),
        deny,
      ),
    ).toEqual(['/v1 configmaps CREATE Namespaced', 'apps/v1 deployments DELETE Namespaced']);
  });

  it('take what all filters of an all have in common', () => {
    const all = {
      all: [
        { resources: { kinds: ['ConfigMap', 'Pod'], operations: ['CREATE', 'UPDATE'] } },
        { resources: { kinds: ['ConfigMap'], operations: ['UPDATE'] } },
      ],
    };
    expect(rulesOf(all)).toEqual(['/v1 configmaps UPDATE Namespaced']);
  });

  it('name every served version where a policy names none, and one where it names that', () => {
    expect(rulesOf(any({ kinds: ['CronJob'] }))).toHaveLength(2);
    expect(rulesOf(any({ kinds: ['batch/v1/CronJob'] }))).toEqual(['batch/v1 cronjobs CREATE,UPDATE Namespaced']);
  });

  it('ask about connections where a rule is for what is connected to', () => {
    // The engine has every rule for pods match their ephemeral containers, as Kyverno's does.
    expect(rulesOf(any({ kinds: ['Pod/exec'] }), deny)).toEqual([
      '/v1 pods/ephemeralcontainers CREATE,UPDATE,DELETE Namespaced',
      '/v1 pods/exec CONNECT Namespaced',
    ]);
    expect(rulesOf(any({ kinds: ['Deployment/scale'] }))).toEqual([
      'apps/v1 deployments/scale CREATE,UPDATE Namespaced',
    ]);
  });

  it('stay a wildcard where the policy is one, for kinds that come later too', () => {
    expect(rulesOf(any({ kinds: ['*'], operations: ['CREATE'] }), deny)).toEqual([
      '/v1 pods/ephemeralcontainers CREATE Namespaced',
      '*/* * CREATE *',
    ]);
  });

  it('of a namespaced policy leave out what belongs to no namespace', () => {
    expect(rulesOf(any({ kinds: ['Namespace'] }))).toEqual(['/v1 namespaces CREATE,UPDATE Cluster']);
    expect(rulesOf(any({ kinds: ['ConfigMap'] }), undefined, 'Policy')).toEqual([
      '/v1 configmaps CREATE,UPDATE Namespaced',
    ]);
  });

  it('are none for kinds that filters leave out, or that the cluster does not serve', () => {
    expect(rulesOf(any({ kinds: ['ReplicaSet', 'Event', 'Unknown'] }))).toEqual([]);
  });
});
