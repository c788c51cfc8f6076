import { expect, it } from 'vitest';
import { customResourceDefinitions } from '../../api/index.ts';
import { installManifests } from '../install.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const roles = installManifests({ namespace: 'ns', installation: 'x', image: 'i', replicas: 1 }).filter(
  ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name!.includes(':aggregate-to-'),
);
const allowed = (role: string, verb: string) =>
  (roles.find(({ metadata }) => metadata.name === `x:ns:aggregate-to-${role}`)!['rules'] as readonly Rule[])
    .filter(({ verbs }) => verbs.includes(verb))
    .flatMap(({ apiGroups, resources }) => resources.map((one) => `${one}.${apiGroups.join()}`))
    .sort();
const namesOf = (scope: string) =>
  customResourceDefinitions('x')
    .filter((definition) => (definition['spec'] as { scope: string }).scope === scope)
    .map(({ metadata }) => metadata.name!)
    .sort();

it('shows every kind of a namespace to those who may view it, and copies, but no policy of the cluster', () => {
  expect(allowed('view', 'list')).toEqual([...namesOf('Namespaced'), 'mirroredimages.supercargo.dev'].sort());
  expect(allowed('view', 'list')).toContain('namespacedvalidatingpolicies.policies.kyverno.io');
});

it('lets users write what is theirs: automation with edit, policies with admin, and never what the program writes', () => {
  expect(allowed('edit', 'create')).toEqual([
    'imageresourcepolicies.automation.gitops.io',
    'resourcetemplates.automation.gitops.io',
  ]);
  expect(allowed('admin', 'create')).toEqual(
    namesOf('Namespaced').filter((name) => /\.(policies\.)?kyverno\.io$/.test(name)),
  );
  for (const role of ['view', 'edit', 'admin'])
    for (const name of ['imagedetecteds.automation.gitops.io', 'policyreports.wgpolicyk8s.io'])
      expect(allowed(role, role === 'view' ? 'create' : 'update')).not.toContain(name);
});
