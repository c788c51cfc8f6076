import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  allowFromAnnotation,
  type ImageDetected,
  type ImageResourcePolicy,
  imageResourcePolicies,
  imagesDetected,
  resourceTemplates,
} from '../../src/api/index.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { findCondition, type KubeObject } from '../../src/object/index.ts';
import { createRegistryClient, type RegistryClient } from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { pushImage } from '../support/push-image.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { namespaces } from './connection.ts';
import { installKinds, type RunningFeatures, runFeatures } from './run-features.ts';

/** Detection against a registry; runs on every cluster. */
export function defineDetectScenario(start: () => Promise<Cluster>): void {
  let cluster: Cluster;
  let registry: RegistryServer;
  let images: RegistryClient;
  let connection: Connection;
  let features: RunningFeatures;
  const namespace = 'detect-story';
  const templateRef = { name: 'template' };

  beforeAll(async () => {
    [cluster, registry] = await Promise.all([start(), startRegistryServer()]);
    images = createRegistryClient();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    await connection.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    features = await runFeatures(cluster, ['detect']);
  }, 120_000);
  afterAll(async () => {
    await features?.stop();
    await connection?.client.close();
    await images?.close();
    await registry?.stop();
    await cluster?.stop();
  });

  const push = (image: string, content?: string) => pushImage(images, `${registry.host}/${image}`, content);
  const create = (
    name: string,
    spec: Omit<ImageResourcePolicy['spec'], 'templateRef'> & Partial<ImageResourcePolicy['spec']>,
  ) =>
    connection.client.create(imageResourcePolicies, {
      apiVersion: 'automation.gitops.io/v1beta1',
      kind: 'ImageResourcePolicy',
      metadata: { name, namespace },
      spec: { templateRef, interval: '1s', ...spec },
    });
  const oci = (patterns: Readonly<Record<string, string>>) => ({
    ociRepository: { registry: registry.host, ...patterns },
  });
  const statusOf = async (name: string) =>
    (await connection.client.get<ImageResourcePolicy>(imageResourcePolicies, { name, namespace })).status;
  const detectedBy = async (name: string) =>
    (await connection.client.list<ImageDetected>(imagesDetected, { namespace })).items.filter(
      ({ spec }) => spec.sourcePolicy.name === name,
    );
  const tagsOf = async (name: string) =>
    (await detectedBy(name)).map(({ spec }) => `${spec.repository}:${spec.imageTag}`).sort();

  it('detects the newest version of each repository, follows pushes, and never goes back', async () => {
    const digest = await push('webapp/frontend:v1.2.3');
    await push('webapp/frontend:v1.2.2');
    await push('webapp/frontend:latest');
    await push('webapp/backend:1.0.0');
    await push('other/thing:9.9.9');
    await create('versions', { ...oci({ repositoryPattern: 'webapp/*' }), policy: { semver: { range: '>=1.0.0' } } });
    await eventually(async () =>
      expect(await tagsOf('versions')).toEqual(['webapp/backend:1.0.0', 'webapp/frontend:v1.2.3']),
    );
    const frontend = (await detectedBy('versions')).find(({ spec }) => spec.repository === 'webapp/frontend')!;
    expect(frontend.metadata.name).toBe(`webapp-frontend-v1-2-3-${digest.slice(7, 15)}`);
    expect(frontend.spec).toMatchObject({
      imageName: 'webapp-frontend',
      imageTag: 'v1.2.3',
      imageDigest: digest,
      fullImageName: `${registry.host}/webapp/frontend:v1.2.3`,
      sourcePolicy: { name: 'versions', namespace },
      ttlDays: 7,
    });
    await push('webapp/frontend:v1.3.0');
    await eventually(async () => expect(await tagsOf('versions')).toContain('webapp/frontend:v1.3.0'));
    await push('webapp/frontend:v1.3.0', 'built again');
    await eventually(async () => expect(await tagsOf('versions')).toHaveLength(4));
    // The newest goes: the one before it is not news.
    await images.deleteManifest({ registry: registry.host, path: 'webapp/frontend' }, 'v1.3.0' as never);
    const scans = (await statusOf('versions'))?.lastScanTime;
    await eventually(async () => expect((await statusOf('versions'))?.lastScanTime).not.toBe(scans));
    expect(await tagsOf('versions')).toHaveLength(4);
    const status = (await statusOf('versions'))!;
    expect(status.detected).toBe(4);
    expect(findCondition(status.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Scanned' });
  }, 60_000);

  it('detects one image of each prefix', async () => {
    for (const tag of ['dev-v1.0.0', 'staging-v1.0.0', 'prod-v1.0.0', 'dev-v1.0.1', 'nightly'])
      await push(`shop:${tag}`);
    const pattern = { regex: String.raw`^(dev|staging|prod)-v\d+\.\d+\.\d+$`, extractPrefix: true };
    await create('prefixes', { ...oci({ repositoryPattern: 'shop' }), policy: { pattern } });
    await eventually(async () =>
      expect(await tagsOf('prefixes')).toEqual(['shop:dev-v1.0.1', 'shop:prod-v1.0.0', 'shop:staging-v1.0.0']),
    );
    expect((await detectedBy('prefixes')).map(({ spec }) => spec.tagPrefix).sort()).toEqual(['dev', 'prod', 'staging']);
  });

  it('detects the newest of the tags that match an expression, whatever their names', async () => {
    const repository = 'promoted';
    const built = (tag: string, created?: string) =>
      pushImage(images, `${registry.host}/${repository}:${tag}`, tag, created);
    await built('staging-v1.2.0');
    await built('dev-v1.10.0');
    await create('newest', { ...oci({ repositoryPattern: repository }), policy: { pattern: { regex: '-v' } } });
    // No image has a date: the numbers decide, not the letters before them.
    const detected = [`${repository}:dev-v1.10.0`];
    const isDetected = (tag: string) => {
      detected.push(`${repository}:${tag}`);
      return eventually(async () => expect(await tagsOf('newest')).toEqual([...detected].sort()));
    };
    await eventually(async () => expect(await tagsOf('newest')).toEqual(detected));
    await built('dev-v0.9.0', '1970-01-01T00:00:00Z');
    await isDetected('dev-v0.9.0');
    // What arrives after a restart is new as well.
    await features.stop();
    await built('dev-v0.1.0', '2024-03-02T00:00:00Z');
    await built('dev-v0.8.0', '2024-03-01T00:00:00Z');
    features = await runFeatures(cluster, ['detect']);
    await isDetected('dev-v0.1.0');
    // The newest goes: none of the others is news.
    await images.deleteManifest({ registry: registry.host, path: repository }, 'dev-v0.1.0' as never);
    const { lastScanTime: before } = (await statusOf('newest'))!;
    await eventually(async () => expect((await statusOf('newest'))?.lastScanTime).not.toBe(before));
    expect(await tagsOf('newest')).toEqual([...detected].sort());
  }, 60_000);

  it('says why nothing is detected', async () => {
    const reason = async (name: string) => {
      const ready = findCondition((await statusOf(name))?.conditions, 'Ready');
      return `${ready?.reason}: ${ready?.message}`;
    };
    const says = (name: string, text: string) => eventually(async () => expect(await reason(name)).toContain(text));
    await create('no-match', { ...oci({ repositoryPattern: 'shop' }), policy: { semver: { range: '^99' } } });
    await create('bad-regex', { ...oci({ repositoryPattern: 'shop' }), policy: { pattern: { regex: '(' } } });
    await create('no-group', {
      ...oci({ repositoryPattern: 'shop' }),
      policy: { pattern: { regex: 'v', extractPrefix: true } },
    });
    await create('asleep', { ...oci({ repositoryPattern: 'shop' }), policy: { alphabetical: {} }, suspend: true });
    await create('no-registry', {
      ociRepository: { registry: '127.0.0.1:1', repositoryPattern: 'shop' },
      policy: { alphabetical: {} },
    });
    await create('no-secret', {
      ociRepository: { registry: registry.host, repositoryPattern: 'shop', secretRef: { name: 'missing' } },
      policy: { alphabetical: {} },
    });
    await says('no-match', 'no tag matches the policy');
    await says('bad-regex', 'InvalidPolicy: spec.policy: pattern.regex: ');
    await says('no-group', 'has no group');
    await says('asleep', 'Suspended');
    await says('no-registry', 'ScanFailed: ');
    await says('no-secret', 'Secret detect-story/missing does not exist');
    expect(findCondition((await statusOf('bad-regex'))?.conditions, 'Stalled')?.status).toBe('True');
    for (const name of ['no-match', 'bad-regex', 'no-group', 'asleep', 'no-registry', 'no-secret'])
      expect(await detectedBy(name)).toEqual([]);
  }, 60_000);

  it('uses a template of another namespace only where that one allows it', async () => {
    const other = 'detect-templates';
    await connection.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    const template = (name: string, annotations?: Readonly<Record<string, string>>): KubeObject => ({
      apiVersion: 'automation.gitops.io/v1beta1',
      kind: 'ResourceTemplate',
      metadata: { name, namespace: other, ...(annotations ? { annotations } : {}) },
      spec: { template: 'a: b', gitRepository: { url: 'https://git.example/x.git' } },
    });
    await connection.client.create(resourceTemplates, template('closed'));
    await connection.client.create(resourceTemplates, template('open', { [allowFromAnnotation]: `x, ${namespace}` }));
    const policy = { alphabetical: {} };
    for (const name of ['closed', 'open'])
      await create(`uses-${name}`, {
        ...oci({ repositoryPattern: 'shop' }),
        policy,
        templateRef: { name, namespace: other },
      });
    await eventually(async () => expect(await tagsOf('uses-open')).toEqual(['shop:dev-v1.0.0']));
    await eventually(async () =>
      expect(findCondition((await statusOf('uses-closed'))?.conditions, 'Stalled')).toMatchObject({
        status: 'True',
        reason: 'AccessDenied',
      }),
    );
    expect(await detectedBy('uses-closed')).toEqual([]);
    // The template is asked again when it changes, long before the next scan is due.
    const refused = (name: string) =>
      eventually(async () =>
        expect(findCondition((await statusOf(name))?.conditions, 'Ready')?.reason).toBe('AccessDenied'),
      );
    await create('uses-late', {
      ...oci({ repositoryPattern: 'shop' }),
      policy,
      interval: '1h',
      templateRef: { name: 'late', namespace: other },
    });
    await refused('uses-late');
    const allowed = { [allowFromAnnotation]: '*' };
    await connection.client.create(resourceTemplates, template('late', allowed));
    await connection.client.patch(
      resourceTemplates,
      { name: 'closed', namespace: other },
      { type: 'merge', body: { metadata: { annotations: allowed } } },
    );
    for (const name of ['uses-late', 'uses-closed'])
      await eventually(async () => expect(await tagsOf(name)).toEqual(['shop:dev-v1.0.0']));
    await connection.client.delete(resourceTemplates, { name: 'late', namespace: other });
    await refused('uses-late');
  });
}
