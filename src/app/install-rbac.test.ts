import { describe, expect, it } from 'vitest';
import { availableFeatures } from './features/index.ts';
import { installManifests, parseParts } from './install.ts';
import { clusterRules, namespaceRules } from './install-rbac.ts';

const rights = (features: Parameters<typeof clusterRules>[1]) =>
  clusterRules('supercargo', features).flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resource}`)),
  );

describe('the permissions of an installation', () => {
  it('include workloads only if images are copied, and never Secrets', () => {
    expect(rights(['mirror'])).toEqual(
      expect.arrayContaining([
        'get /serviceaccounts',
        'patch apps/deployments',
        'create supercargo.dev/mirroredimages',
      ]),
    );
    for (const forbidden of ['get /secrets', 'list /secrets', 'patch batch/jobs', 'patch /pods'])
      expect(rights(['mirror'])).not.toContain(forbidden);
    expect(rights(['admission', 'create']).filter((right) => /secrets|supercargo\.dev/.test(right))).toEqual([]);
    expect(rights(['admission', 'detect']).filter((right) => /secrets|apps|supercargo\.dev/.test(right))).toEqual([
      'list supercargo.dev/mirroredimages',
      'watch supercargo.dev/mirroredimages',
    ]);
  });

  it('cover the webhooks and their certificate of every feature that reviews requests', () => {
    const names = (features: Parameters<typeof clusterRules>[1]) =>
      clusterRules('x', features)
        .filter(({ verbs }) => verbs.includes('update'))
        .flatMap(({ resourceNames = [] }) => resourceNames);
    expect(names(['mirror'])).toEqual(['x-rewrite', 'x-probe-mirror']);
    expect(names(['admission', 'mirror'])).toEqual([
      'x-policies-mutate',
      'x-rewrite',
      'x-probe-admission',
      'x-policies-validate',
      'x-policy-check',
    ]);
    expect(names(['detect'])).toEqual([]);
    expect(namespaceRules('x', ['mirror']).flatMap(({ resourceNames = [] }) => resourceNames)).toContain('x-webhook');
  });
});

it('let a part remove webhooks that no part registers, and never those of another part', () => {
  const removed = (all: Parameters<typeof clusterRules>[2]) =>
    clusterRules('x', ['mirror'], all)
      .filter(({ verbs }) => verbs.includes('delete'))
      .flatMap(({ resourceNames = [] }) => resourceNames);
  expect(removed(['mirror', 'detect'])).toContain('x-policies-validate');
  expect(removed(['mirror', 'admission'])).toEqual(['x-rewrite', 'x-probe-mirror']);
  // A rule without names would be about all of them.
  const rules = clusterRules('x', ['admission', 'generate'], ['admission', 'generate', 'mirror']);
  expect(rules.filter(({ resourceNames }) => resourceNames?.length === 0)).toEqual([]);
  const roles = manifestsOf({ backupRegistry: 'r.example/copies' }).filter(({ kind }) => kind === 'ClusterRole');
  const ofMirror = roles.find(({ metadata }) => metadata.name === 'x:ns:mirror:webhooks');
  expect(JSON.stringify(ofMirror)).not.toContain('x-policies');
});

const manifestsOf = (options: Partial<Parameters<typeof installManifests>[0]>) =>
  installManifests({ namespace: 'ns', installation: 'x', image: 'i', replicas: 1, ...options });

describe('the certificate of the webhooks', () => {
  const secretsOf = (config: NonNullable<Parameters<typeof manifestsOf>[0]['config']>) => {
    const all = manifestsOf({ features: ['admission'], config });
    const rules = all.filter(({ kind }) => kind === 'Role').flatMap((role) => role['rules'] as readonly object[]);
    return {
      rights: rules.filter((rule) => (rule as { resources: string[] }).resources.includes('secrets')),
      created: all.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name),
    };
  };
  const rule = (name: string, ...verbs: string[]) => ({
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [name],
    verbs,
  });

  it('is in a Secret of ours that the part may write, or in one of the user that it may read', () => {
    expect(secretsOf({})).toEqual({
      rights: [rule('x-policies-webhook', 'get', 'list', 'watch', 'update')],
      created: ['x-policies-webhook'],
    });
    expect(secretsOf({ webhook: { tls: { secretName: 'given' } } })).toEqual({
      rights: [rule('given', 'list', 'watch')],
      created: [],
    });
  });
});

describe('the parts of an installation', () => {
  const all = manifestsOf({ backupRegistry: 'r.example/copies', mirrorNamespaces: ['shop'] });
  const named = (kind: string) => all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);

  it('have each an account, a network policy and a Deployment of their own', () => {
    for (const kind of ['ServiceAccount', 'NetworkPolicy', 'ConfigMap', 'Deployment'])
      expect(named(kind)).toEqual(['x-policies', 'x-mirror', 'x-automation']);
  });

  it('share no account: every binding has one subject, that of its part', () => {
    const bindings = all.filter(({ kind }) => kind.endsWith('RoleBinding'));
    for (const { metadata, subjects } of bindings as { metadata: { labels?: object }; subjects?: unknown }[])
      expect(subjects).toEqual([
        {
          kind: 'ServiceAccount',
          name: `x-${(metadata.labels as Record<string, string>)['app.kubernetes.io/component']}`,
          namespace: 'ns',
        },
      ]);
  });

  it('may read pull secrets in the named namespaces only', () => {
    const reads = all.filter(({ rules }) =>
      ((rules ?? []) as { resources: string[]; resourceNames?: string[] }[]).some(
        ({ resources, resourceNames }) => resources.includes('secrets') && resourceNames === undefined,
      ),
    );
    expect(reads.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['ClusterRole x-pull-secrets']);
    const bound = all.filter(({ roleRef }) => (roleRef as { name?: string } | undefined)?.name === 'x-pull-secrets');
    expect(bound.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual(['RoleBinding shop']);
    expect(() => manifestsOf({ mirrorNamespaces: ['shop'] })).toThrow('--mirror-namespace needs the feature mirror');
  });

  it('create no Job in the whole cluster and no Secret anywhere', () => {
    const every = manifestsOf({ features: [...availableFeatures], backupRegistry: 'r.example/copies' });
    const rules = every.flatMap(({ kind, rules: some = [] }) =>
      (some as { resources: string[]; verbs: string[] }[]).map((rule) => ({ kind, ...rule })),
    );
    const creating = (resource: string) =>
      rules.filter(({ resources, verbs }) => resources.includes(resource) && verbs.includes('create'));
    expect(creating('secrets')).toEqual([]);
    expect(creating('jobs').map(({ kind }) => kind)).toEqual(['Role']);
  });

  it('are those that were requested, each feature once', () => {
    expect(parseParts(['detect=detect', 'create=create'])).toEqual([
      { name: 'detect', features: ['detect'] },
      { name: 'create', features: ['create'] },
    ]);
    expect(() => parseParts(['a=detect', 'b=detect'])).toThrow('detect is named twice');
    expect(() => parseParts(['a=detect', 'a=create'])).toThrow('a is named twice');
    expect(() => parseParts(['detect'])).toThrow('write NAME=feature,feature');
  });
});

describe('the manifests of an installation', () => {
  const manifests = (backupRegistry?: string) =>
    JSON.stringify(installManifests({ namespace: 'x', installation: 'x', image: 'i', replicas: 1, backupRegistry }));

  it('enable the feature mirror if a backup registry is given', () => {
    expect(manifests()).not.toContain('- mirror');
    expect(manifests()).not.toContain('BACKUP_REGISTRY_PASSWORD');
    expect(manifests('r.example/copies')).toContain('- mirror');
    expect(manifests('r.example/copies')).toContain('registry: r.example/copies');
    expect(manifests('r.example/copies')).toContain('x-backup-registry');
  });

  it('let other users write detections only where they are named', () => {
    const admits = (detectionUsers?: readonly string[]) => {
      const options = { namespace: 'n', installation: 'i', image: 'x', replicas: 1, detectionUsers };
      const policy = installManifests(options).find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
      const { validations } = policy!['spec'] as { readonly validations: readonly { readonly expression: string }[] };
      return validations[0]!.expression.includes("'system:serviceaccount:ci:pusher'");
    };
    expect([admits(), admits(['system:serviceaccount:ci:pusher'])]).toEqual([false, true]);
  });
});
