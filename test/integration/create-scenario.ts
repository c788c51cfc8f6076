import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowFromAnnotation, resourceTemplates } from '../../src/api/index.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { createRegistryClient, type RegistryClient } from '../../src/registry/index.ts';
import { filesOf, type GitTarget } from '../support/git-targets.ts';
import { pushImage } from '../support/push-image.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { createRecordedLog } from '../support/recorded-log.ts';
import { eventually } from '../support/wait.ts';
import { type CreateFixture, createCreateFixture, deploymentTemplate } from './create-fixture.ts';
import { runEnvironmentsScenario } from './environments-scenario.ts';
import { installKinds, type RunningFeatures, runFeatures } from './run-features.ts';

export interface CreateScenario {
  readonly startCluster: () => Promise<Cluster>;
  readonly startRegistry: () => Promise<{ readonly host: string; stop(): Promise<void> }>;
  readonly targets: Readonly<Record<string, () => Promise<GitTarget>>>;
  /** Repositories that take no commit, and what is said of it. */
  readonly refusing: Readonly<Record<string, { readonly start: () => Promise<GitTarget>; readonly why: string }>>;
}

const patience = { timeoutMs: 40_000, intervalMs: 100 };

/** From a push to a manifest in Git and back into the cluster; runs on every cluster. */
export function defineCreateScenario({ startCluster, startRegistry, targets, refusing }: CreateScenario): void {
  let cluster: Cluster;
  let registry: Awaited<ReturnType<CreateScenario['startRegistry']>>;
  let images: RegistryClient;
  let connection: Connection;
  let features: RunningFeatures;
  const logs = createRecordedLog();

  beforeAll(async () => {
    [cluster, registry] = await Promise.all([startCluster(), startRegistry()]);
    images = createRegistryClient();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    features = await runFeatures(cluster, ['detect', 'create'], {
      config: { create: { allowLocalRepositories: true, allowLoopback: true, batchWindow: '200ms' } },
      env: { PATH: process.env['PATH'] ?? '' },
      log: logs.log,
    });
  }, 120_000);
  afterAll(async () => {
    await features?.stop();
    await connection?.client.close();
    await images?.close();
    await registry?.stop();
    await cluster?.stop();
  });

  describe.each(Object.keys(targets))('with Git over %s', (name) => {
    let target: GitTarget;
    let fixture: CreateFixture;
    const namespace = `create-${name.replaceAll(/[^a-z0-9]+/g, '-')}`;

    beforeAll(async () => {
      target = await targets[name]!();
      fixture = createCreateFixture(connection, namespace);
      await fixture.openNamespace();
      if (target.secret) await fixture.secret('git', target.secret);
    });
    afterAll(() => target?.stop());

    it('makes a manifest of each environment, and leaves the second versions to GitOps', async () => {
      const image = `${registry.host}/${namespace}/myapp`;
      await runEnvironmentsScenario({
        connection,
        namespace,
        fixture,
        target,
        logs,
        source: {
          repository: image,
          push: (tag) => pushImage(images, `${image}:${tag}`),
          spec: { ociRepository: { registry: registry.host, repositoryPattern: `${namespace}/myapp` } },
        },
      });
    }, 120_000);
  });

  describe('a detection that cannot be committed says why', () => {
    let target: GitTarget;
    let fixture: CreateFixture;
    beforeAll(async () => {
      target = await Object.values(targets)[0]!();
      fixture = createCreateFixture(connection, 'create-refusals');
      await fixture.openNamespace();
      if (target.secret) await fixture.secret('git', target.secret);
    });
    afterAll(() => target?.stop());

    const git = (more: object = {}) => ({
      url: target.url,
      ...(target.secret ? { secretRef: { name: 'git' } } : {}),
      ...more,
    });
    const valid = deploymentTemplate;
    it.each([
      [
        'a-path-out',
        () => ({ multiFiles: [{ relativePath: '../x.yaml', template: valid }] }),
        'PathRefused: spec.multiFiles[0].template: the path "../x.yaml" leads out',
      ],
      [
        'absolute',
        () => ({ multiFiles: [{ relativePath: '/etc/x.yaml', template: valid }] }),
        'PathRefused: spec.multiFiles[0].template: the path "/etc/x.yaml" is absolute',
      ],
      ['git-files', () => ({ multiFiles: [{ relativePath: '.git/config', template: valid }] }), 'PathRefused: '],
      ['no-yaml', () => ({ template: 'a: [' }), 'InvalidManifest: the rendered text is not YAML: no-yaml-img.yaml:'],
      [
        'a-number',
        () => ({ template: valid.replace('{{ .ImageTag | quote }}', '{{ .ImageTag }}') }),
        'InvalidManifest: a-number-img.yaml:1: spec.template.metadata.labels.version: 1.1 is a number where text belongs',
      ],
      [
        'missing',
        () => ({ template: 'a: {{ .Missing }}' }),
        'InvalidTemplate: template: spec.template:1:6: executing "spec.template" at <.Missing>: map has no entry for key "Missing"',
      ],
      [
        'unknown',
        () => ({ template: 'a: {{ .ImageTag | shout }}' }),
        'InvalidTemplate: template: spec.template:1: function "shout" not defined',
      ],
      [
        'no-repository',
        () => ({ template: valid, gitRepository: { url: '/nowhere/x.git' } }),
        'GitRepositoryNotFound: ',
      ],
      [
        'no-secret',
        () => ({ template: valid, gitRepository: { url: 'https://git.example/x.git', secretRef: { name: 'absent' } } }),
        'SecretUnavailable: Secret create-refusals/absent does not exist',
      ],
      [
        'illegal-name',
        () => ({ template: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "Not A Name" }\n' }),
        'InvalidManifest: illegal-name-img.yaml:1: metadata.name: "Not A Name" is no name: ',
      ],
      [
        'dry-run',
        () => ({
          // Only the server knows which keys the data of a ConfigMap may have.
          template: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\ndata: { "not a key": x }\n',
          validation: { dryRun: true },
        }),
        'DryRunFailed: dry-run-img.yaml:1: the server rejects it: ',
      ],
    ] as const)(
      '%s',
      async (name, spec, why) => {
        await fixture.template(name, { gitRepository: git(), ...spec() });
        await fixture.policy(name, {});
        await fixture.detection(`example.com/${name}/img:1.10`, { policy: name, name });
        await eventually(async () => expect(await fixture.resultOf(name)).toContain(`Failed: ${why}`), patience);
        expect(filesOf(target.repository)).toEqual({});
      },
      60_000,
    );

    it.each(Object.keys(refusing))(
      'where Git refuses: %s',
      async (name) => {
        const { start, why } = refusing[name]!;
        const refused = await start();
        const id = name.replaceAll(/[^a-z]+/g, '-');
        try {
          if (refused.secret) await fixture.secret(id, refused.secret);
          const secretRef = refused.secret ? { secretRef: { name: id } } : {};
          await fixture.template(id, { template: valid, gitRepository: { url: refused.url, ...secretRef } });
          await fixture.policy(id, {});
          await fixture.detection(`example.com/${id}/img:1.0`, { policy: id, name: id });
          await eventually(async () => expect(await fixture.resultOf(id)).toContain(`Failed: ${why}`), patience);
          expect(filesOf(refused.repository)).toEqual({});
          for (const secret of Object.values(refused.secret ?? {}))
            expect(JSON.stringify(await fixture.statusOf(id))).not.toContain(secret);
        } finally {
          await refused.stop();
        }
      },
      60_000,
    );

    it('where a template of another namespace does not allow it, until it does', async () => {
      const other = createCreateFixture(connection, 'create-elsewhere');
      await other.openNamespace();
      if (target.secret) await other.secret('git', target.secret);
      const template = await other.template('shared', { template: valid, gitRepository: git() });
      await fixture.policy('granted', { templateRef: { name: 'shared', namespace: 'create-elsewhere' } });
      await fixture.detection('example.com/team/granted:1.0', { policy: 'granted', name: 'granted' });
      await eventually(
        async () =>
          expect(await fixture.resultOf('granted')).toContain(
            'Failed: AccessDenied: ResourceTemplate create-elsewhere/shared',
          ),
        patience,
      );
      const annotations = { [allowFromAnnotation]: 'create-refusals' };
      await connection.client.patch(
        resourceTemplates,
        { name: template.metadata.name!, namespace: 'create-elsewhere' },
        { type: 'merge', body: { metadata: { annotations } } },
      );
      await eventually(
        async () => expect(await fixture.resultOf('granted')).toContain('Completed: Committed: '),
        patience,
      );
    }, 60_000);
  });
}
