import { describe, expect, it } from 'vitest';
import type { DiscoveredType } from '../kube/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { defaultResourceFilters, parseResourceFilters } from './resource-filters.ts';
import { compileCoverage, mergeCoverage, renderWebhookRules } from './webhook-rules.ts';

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
  const coverageOf = compileCoverage(types, parseResourceFilters(defaultResourceFilters));
  return renderWebhookRules(mergeCoverage(program.rules.map((rule) => coverageOf(rule, kind === 'Policy')))).map(
    ({ operations, apiGroups, apiVersions, resources, scope }) =>
      `${apiGroups}/${apiVersions} ${resources.join(',')} ${operations.join(',')} ${scope}`,
  );
};
const any = (...resources: readonly object[]) => ({ any: resources.map((one) => ({ resources: one })) });
const deny = {
  validate: { message: 'm', deny: { conditions: { any: [{ key: 'a', operator: 'Equals', value: 'b' }] } } },
};
const mutate = { mutate: { patchStrategicMerge: { metadata: { labels: { a: 'b' } } } } };

describe('webhook rules', () => {
  it('cover the kinds of a rule, pods with their ephemeral containers, for CREATE and UPDATE only', () => {
    expect(rulesOf(any({ kinds: ['Pod'] }))).toEqual(['/v1 pods,pods/ephemeralcontainers CREATE,UPDATE Namespaced']);
  });

  it('include DELETE only for rules with deny conditions', () => {
    expect(rulesOf(any({ kinds: ['ConfigMap'] }), deny)).toEqual(['/v1 configmaps CREATE,UPDATE,DELETE Namespaced']);
    expect(rulesOf(any({ kinds: ['ConfigMap'] }), mutate)).toEqual(['/v1 configmaps CREATE,UPDATE Namespaced']);
  });

  it('apply the operations of a filter to its own kinds only', () => {
    expect(
      rulesOf(
        any({ kinds: ['ConfigMap'], operations: ['CREATE'] }, { kinds: ['Deployment'], operations: ['DELETE'] }),
        deny,
      ),
    ).toEqual(['/v1 configmaps CREATE Namespaced', 'apps/v1 deployments DELETE Namespaced']);
  });

  it('intersect the filters of an all block', () => {
    const all = {
      all: [
        { resources: { kinds: ['ConfigMap', 'Pod'], operations: ['CREATE', 'UPDATE'] } },
        { resources: { kinds: ['ConfigMap'], operations: ['UPDATE'] } },
      ],
    };
    expect(rulesOf(all)).toEqual(['/v1 configmaps UPDATE Namespaced']);
  });

  it('include every served version unless the policy names one', () => {
    expect(rulesOf(any({ kinds: ['CronJob'] }))).toHaveLength(2);
    expect(rulesOf(any({ kinds: ['batch/v1/CronJob'] }))).toEqual(['batch/v1 cronjobs CREATE,UPDATE Namespaced']);
  });

  it('include CONNECT for rules on connectable subresources', () => {
    // As in Kyverno, every rule for pods matches their ephemeral containers.
    expect(rulesOf(any({ kinds: ['Pod/exec'] }), deny)).toEqual([
      '/v1 pods/ephemeralcontainers CREATE,UPDATE,DELETE Namespaced',
      '/v1 pods/exec CONNECT Namespaced',
    ]);
    expect(rulesOf(any({ kinds: ['Deployment/scale'] }))).toEqual([
      'apps/v1 deployments/scale CREATE,UPDATE Namespaced',
    ]);
  });

  it('stay a wildcard for a wildcard policy, so that new kinds are covered', () => {
    expect(rulesOf(any({ kinds: ['*'], operations: ['CREATE'] }), deny)).toEqual([
      '/v1 pods/ephemeralcontainers CREATE Namespaced',
      '*/* * CREATE *',
    ]);
  });

  it('of a Policy exclude cluster-scoped resources', () => {
    expect(rulesOf(any({ kinds: ['Namespace'] }))).toEqual(['/v1 namespaces CREATE,UPDATE Cluster']);
    expect(rulesOf(any({ kinds: ['ConfigMap'] }), undefined, 'Policy')).toEqual([
      '/v1 configmaps CREATE,UPDATE Namespaced',
    ]);
  });

  it('are empty for kinds that filters exclude or that the cluster does not serve', () => {
    expect(rulesOf(any({ kinds: ['ReplicaSet', 'Event', 'Unknown'] }))).toEqual([]);
  });
});
