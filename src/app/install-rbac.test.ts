import { describe, expect, it } from 'vitest';
import { installManifests } from './install.ts';
import { clusterRules, namespaceRules } from './install-rbac.ts';

const rights = (features: Parameters<typeof clusterRules>[1]) =>
  clusterRules('supercargo', features).flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resource}`)),
  );

describe('the rights of an installation', () => {
  it('include secrets and workloads only where images are cloned', () => {
    expect(rights(['mirror'])).toEqual(
      expect.arrayContaining([
        'get /secrets',
        'get /serviceaccounts',
        'patch apps/deployments',
        'create supercargo.dev/mirroredimages',
      ]),
    );
    for (const forbidden of ['list /secrets', 'patch batch/jobs', 'patch /pods'])
      expect(rights(['mirror'])).not.toContain(forbidden);
    expect(rights(['admission', 'create']).filter((right) => /secrets|supercargo\.dev/.test(right))).toEqual([]);
    expect(rights(['admission', 'detect']).filter((right) => /secrets|apps|supercargo\.dev/.test(right))).toEqual([
      'get supercargo.dev/mirroredimages',
      'list supercargo.dev/mirroredimages',
      'watch supercargo.dev/mirroredimages',
    ]);
  });

  it('cover the webhooks and their certificate of every feature that reviews requests', () => {
    const names = (features: Parameters<typeof clusterRules>[1]) =>
      clusterRules('x', features).flatMap(({ resourceNames = [] }) => resourceNames);
    expect(names(['mirror'])).toEqual(['x-rewrite']);
    expect(names(['admission', 'mirror'])).toEqual([
      'x-policies-mutate',
      'x-rewrite',
      'x-policies-validate',
      'x-policy-check',
    ]);
    expect(names(['detect'])).toEqual([]);
    expect(namespaceRules('x', ['mirror']).flatMap(({ resourceNames = [] }) => resourceNames)).toContain('x-webhook');
  });
});

describe('the manifests of an installation', () => {
  const manifests = (backupRegistry?: string) =>
    JSON.stringify(installManifests({ namespace: 'x', installation: 'x', image: 'i', replicas: 1, backupRegistry }));

  it('switch the clone of images on with a registry to clone them to', () => {
    expect(manifests()).not.toContain('- mirror');
    expect(manifests()).not.toContain('BACKUP_REGISTRY_PASSWORD');
    expect(manifests('r.example/copies')).toContain('- mirror');
    expect(manifests('r.example/copies')).toContain('registry: r.example/copies');
    expect(manifests('r.example/copies')).toContain('x-backup-registry');
  });
});
