import { expect, it } from 'vitest';
import { targetsOf } from './targets.ts';
import { deletingPolicy, namespacedPolicy, pods, programOf, served } from './testing/policies.ts';

const jobs = served('jobs', 'Job', { group: 'batch' });
const nodes = served('nodes', 'Node', { namespaced: false });
const all = [pods, jobs, nodes, served('bindings', 'Binding', { verbs: ['create'] })];
const everything = {
  matchConstraints: { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] },
};
const namesOf = (types: readonly { readonly resource: string }[]) => types.map(({ resource }) => resource);

it('a policy is for the kinds it names, where they can be listed and deleted', () => {
  const options = { namespacedResources: [] };
  expect(namesOf(targetsOf(programOf(deletingPolicy()), all, options).types)).toEqual(['pods']);
  expect(namesOf(targetsOf(programOf(deletingPolicy(everything)), all, options).types)).toEqual([
    'pods',
    'jobs',
    'nodes',
  ]);
});

it('a kind of several versions is listed once, in the preferred one that the policy names', () => {
  const old = served('jobs', 'Job', { group: 'batch', version: 'v1beta1', isPreferredVersion: false });
  const rule = { apiGroups: ['batch'], resources: ['jobs'] };
  const versionsFor = (apiVersions: readonly string[]) =>
    targetsOf(
      programOf(deletingPolicy({ matchConstraints: { resourceRules: [{ ...rule, apiVersions }] } })),
      [old, jobs],
      { namespacedResources: [] },
    ).types.map(({ version }) => version);
  expect(versionsFor(['*'])).toEqual(['v1']);
  expect(versionsFor(['v1beta1'])).toEqual(['v1beta1']);
});

it('a policy of a namespace is for no kind by default, and never for one that is in no namespace', () => {
  const program = programOf(namespacedPolicy('shop', everything));
  const byDefault = targetsOf(program, all, { namespacedResources: [] });
  expect(byDefault.types).toEqual([]);
  expect(byDefault.refused.join()).toContain('may not delete pods; an administrator allows it with cleanup.namespaced');
  const allowed = targetsOf(program, all, { namespacedResources: ['*'] });
  expect(namesOf(allowed.types)).toEqual(['pods', 'jobs']);
  expect(allowed.refused).toEqual([expect.stringContaining('nodes are cluster-scoped')]);
  expect(namesOf(targetsOf(program, all, { namespacedResources: ['*.batch'] }).types)).toEqual(['jobs']);
});
