import { expect, it } from 'vitest';
import { refuseInstall } from './install-refusals.ts';

const policies = { name: 'policies', features: ['admission'] } as const;
const mirror = { name: 'mirror', features: ['mirror'] } as const;
const refuse = (over: Partial<Parameters<typeof refuseInstall>[0]>) => () =>
  refuseInstall({
    namespace: 'images',
    parts: [policies],
    replicas: 2,
    backupRegistry: '',
    mirrorNamespaces: [],
    config: {},
    ...over,
  });

it('refuses what the chart refuses', () => {
  expect(refuse({})).not.toThrow();
  expect(refuse({ namespace: 'kube-system' })).toThrow('a namespace of its own');
  for (const name of ['uninstall', 'aggregate-to-view'])
    expect(refuse({ parts: [{ ...policies, name }] })).toThrow(`--part: ${name} is in the names of`);
  expect(refuse({ mirrorNamespaces: ['shop'] })).toThrow('--mirror-namespace needs the feature mirror');
  expect(refuse({ config: { leaderElection: { enabled: false } } })).toThrow('several replicas of policies');
  expect(refuse({ config: { leaderElection: { enabled: false } }, replicas: 1 })).not.toThrow();
});

it('lets images be copied only with a registry to copy to', () => {
  expect(refuse({ parts: [mirror] })).toThrow('needs a registry');
  expect(refuse({ parts: [mirror], backupRegistry: 'r.example' })).not.toThrow();
  expect(refuse({ parts: [mirror], config: { mirror: { registry: 'r.example' } } })).not.toThrow();
});
