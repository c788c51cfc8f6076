import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type ImageResourcePolicy,
  imageResourcePolicies,
  type MirroredImage,
  mirroredImages,
} from '../../src/api/index.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { renderYaml, silentLogger } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { type Condition, findCondition, isTrue, type KubeObject } from '../../src/object/index.ts';
import { createRegistryClient, findMissing, type RegistryClient } from '../../src/registry/index.ts';
import { committedDetections, filesOf, type GitTarget } from '../support/git-targets.ts';
import { type InsightsServer, startInsightsServer } from '../support/insights-server.ts';
import { pushImage } from '../support/push-image.ts';
import { eventually } from '../support/wait.ts';
import { deployments, namespaces } from './connection.ts';
import { type CreateFixture, createCreateFixture, deploymentTemplate } from './create-fixture.ts';
import {
  clusterPolicies,
  insightsPolicy,
  jobPerImage,
  jobs,
  orderPolicy,
  pod,
  pods,
  policyReports,
  secretGrant,
} from './everything-objects.ts';
import { imagesOf } from './mirror-fixture.ts';

/** The program with every feature on, and what it works with. */
export interface EverythingCluster {
  readonly kubeconfigPath: string;
  /** Images are pushed there. */
  readonly registry: string;
  /** Copies go there: a path in the same registry. */
  readonly backup: string;
  /** What it logged, line by line. */
  logged(): string;
  stop(): Promise<void>;
}

export interface EverythingScenario {
  /** `pods` where pods are rewritten in place of workloads. */
  readonly rewrite: 'workloads' | 'pods';
  readonly start: (env: Readonly<Record<string, string>>) => Promise<EverythingCluster>;
  readonly startTarget: () => Promise<GitTarget>;
}

const patience = { timeoutMs: 40_000, intervalMs: 100 };
const namespace = 'shop';
const sourceImages = 'supercargo.dev/source-images';
const jobNameOf = (image: string) => `img-${createHash('sha256').update(image).digest('hex').slice(0, 8)}`;

interface Report extends KubeObject {
  readonly results?: readonly {
    readonly policy: string;
    readonly result: string;
    readonly resources: readonly KubeObject[];
  }[];
}

/** One image from its push to the reports about it, with all features enabled; runs on every cluster. */
export function defineEverythingScenario({ rewrite, start, startTarget }: EverythingScenario): void {
  const rewritten = rewrite === 'pods' ? 'Pod' : 'Deployment';
  let insights: InsightsServer;
  let target: GitTarget;
  let program: EverythingCluster;
  let connection: Connection;
  let images: RegistryClient;
  let fixture: CreateFixture;

  beforeAll(async () => {
    insights = await startInsightsServer();
    insights.policies = renderYaml(insightsPolicy('from-insights', namespace, 'unwanted'));
    target = await startTarget();
    program = await start({ ...insights.env, SYNC_INTERVAL: '1h', POLL_INTERVAL: '1s' });
    connection = await connect({ env: {}, kubeconfig: program.kubeconfigPath, log: silentLogger });
    images = createRegistryClient();
    fixture = createCreateFixture(connection, namespace);
    await connection.client.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'image-clone-controller': 'enabled' } },
    });
    if (target.secret) await fixture.secret('git', target.secret);
    for (const [type, object] of secretGrant(namespace, 'git')) await connection.client.create(type, object);
  }, 120_000);
  afterAll(async () => {
    await connection?.client.close();
    await images?.close();
    await program?.stop();
    await target?.stop();
    await insights?.stop();
  });

  const source = () => `${program.registry}/${namespace}/web`;
  const copy = () => `${program.backup}/${program.registry.replace(':', '_')}/${namespace}/web`;
  const push = (image: string) => pushImage(images, `${program.registry}/${image}`);
  const ready = (name: string) =>
    eventually(async () => {
      const { status } = await connection.client.get<KubeObject & { readonly status?: { conditions?: Condition[] } }>(
        clusterPolicies,
        { name },
      );
      expect(isTrue(status?.conditions, 'Ready')).toBe(true);
    }, patience);
  const create = async (object: KubeObject) => {
    await connection.client.create(clusterPolicies, object);
    await ready(object.metadata.name!);
  };
  const reportResults = async () =>
    Object.fromEntries(
      (await fixture.detections()).map(({ spec, status }) => [
        `${spec.sourcePolicy.name} ${spec.repository}:${spec.imageTag}`,
        `${status?.phase} ${findCondition(status?.conditions, 'Ready')?.reason}`,
      ]),
    );
  const jobNames = async () =>
    (await connection.client.list<KubeObject>(jobs, { namespace })).items.map(({ metadata }) => metadata.name).sort();
  const settles = (expected: Readonly<Record<string, string>>) =>
    eventually(async () => expect(await reportResults()).toEqual(expected), patience);

  it('gets its policies from Insights', async () => {
    await ready('from-insights');
    expect(insights.policyReports).toMatchObject([{ policyName: 'from-insights', status: 'success' }]);
  });

  it('detects and commits a pushed image', async () => {
    await fixture.template('web', {
      template: deploymentTemplate,
      variables: { namespace },
      gitRepository: { url: target.url, ...(target.secret ? { secretRef: { name: 'git' } } : {}) },
    });
    await push(`${namespace}/web:1.0.0`);
    // The last word of a path: it would take the copies too.
    await fixture.policy('web', {
      suspend: false,
      ociRepository: { registry: program.registry, imageNamePattern: 'web' },
      policy: { semver: { range: '>=1.0.0' } },
    });
    await settles({ 'web shop/web:1.0.0': 'Completed Committed' });
    expect(filesOf(target.repository)['shop-web.yaml']).toContain(`image: ${source()}:1.0.0`);
  }, 60_000);

  it('mutates, mirrors and validates what GitOps applies, in this order', async () => {
    await create(orderPolicy({ namespace, kind: rewritten }, { source: source(), copy: copy() }));
    // What comes before its copy could be made is refused here, and applied again as GitOps tools do.
    await eventually(() => fixture.applyBranch(target), patience);
    const deployment = await connection.client.get<KubeObject>(deployments, { name: 'web', namespace });
    const running = await eventually(async () => {
      const { items } = await connection.client.list<KubeObject>(pods, { namespace });
      expect(items.map(imagesOf)).toEqual([[`${copy()}:1.0.0`]]);
      return items[0]!;
    }, patience);
    expect(imagesOf(deployment)).toEqual([rewritten === 'Pod' ? `${source()}:1.0.0` : `${copy()}:1.0.0`]);
    const { annotations } = (rewritten === 'Pod' ? running : deployment).metadata;
    expect(annotations?.['seen-by-mutate']).toBe(`${source()}:1.0.0`);
    expect(JSON.parse(annotations?.[sourceImages] ?? '{}')).toEqual({
      web: { from: `${source()}:1.0.0`, to: `${copy()}:1.0.0` },
    });
    expect(await findMissing(images, parseReference(copy()), '1.0.0' as never)).toEqual([]);
  }, 60_000);

  it('does not detect the copy as a new image', async () => {
    const { items } = await connection.client.list<MirroredImage>(mirroredImages);
    expect(items.map(({ spec, status }) => `${spec.source} ${status?.phase}`)).toEqual([`${source()}:1.0.0 Copied`]);
    await eventually(async () => {
      const { status } = await connection.client.get<ImageResourcePolicy>(imageResourcePolicies, {
        name: 'web',
        namespace,
      });
      expect(findCondition(status?.conditions, 'Ready')?.message).toContain(
        'excluded 1 repositories that hold copies of other images',
      );
      expect(status).toMatchObject({ repositories: 1, detected: 1 });
    }, patience);
    expect(Object.keys(await reportResults())).toEqual(['web shop/web:1.0.0']);
  }, 60_000);

  it('knows what runs by its source: new versions are left to GitOps', async () => {
    await push(`${namespace}/web:1.1.0`);
    await fixture.policy('again', {
      suspend: false,
      templateRef: { name: 'web' },
      ociRepository: { registry: program.registry, repositoryPattern: 'shop/web' },
      policy: { semver: { range: '1.0.0' } },
    });
    await settles({
      'web shop/web:1.0.0': 'Completed Committed',
      'web shop/web:1.1.0': 'Completed DelegatedToGitOps',
      'again shop/web:1.0.0': 'Completed AlreadyDeployed',
    });
    expect(committedDetections(target.repository)).toHaveLength(1);
  }, 60_000);

  it('makes one Job for an image, by its source', async () => {
    await push('tools/work:1');
    await create(jobPerImage(`${program.registry}/tools/work:1`));
    const [image, other] = [`${source()}:1.0.0`, `${source()}:1.1.0`];
    for (const [name, of] of [
      ['first', image],
      ['second', image],
      ['last', other],
    ] as const)
      await connection.client.create(pods, pod(namespace, name, of));
    // The copy of what was made last is not there yet when its pod comes, or it is: the Job is the same.
    const names = [jobNameOf(image), jobNameOf(other)].sort();
    await eventually(async () => expect(await jobNames()).toEqual(names), patience);
    const made = await connection.client.get<KubeObject>(jobs, { name: jobNameOf(image), namespace });
    expect(made.metadata.annotations).toMatchObject({ 'kyverno.io/source-image': image });
    expect(made.metadata.labels?.['source-image']).toBe(image.replaceAll(/[^-A-Za-z0-9_.]/g, '-'));
    const first = await connection.client.get<KubeObject>(pods, { name: 'first', namespace });
    expect(imagesOf(first)).toEqual([rewrite === 'pods' ? `${copy()}:1.0.0` : image]);
  }, 60_000);

  it('reports what policies say, those of Insights too', async () => {
    await eventually(async () => {
      const { items } = await connection.client.list<Report>(policyReports, { namespace });
      const results = Object.fromEntries(
        items.map(({ metadata, results = [] }) => [
          metadata.name,
          results.filter(({ resources }) => resources[0]?.kind === rewritten).map(({ result }) => result),
        ]),
      );
      expect(results['polr-ns-shop-order']).toEqual(['pass']);
      expect(Object.keys(results)).toContain('polr-ns-shop-from-insights');
    }, patience);
  }, 60_000);

  it('runs the jobs of Insights: policies synced on demand are active at once', async () => {
    insights.policies = [
      insightsPolicy('from-insights', namespace, 'unwanted'),
      insightsPolicy('on-demand', namespace, 'also'),
    ]
      .map((one) => renderYaml(one))
      .join('---\n');
    insights.offer({ id: 41, reportType: 'kyverno-policy-sync' });
    await eventually(() => expect(insights.jobReports).toEqual(['41 running', '41 completed']), patience);
    await ready('on-demand');
    const deployment = await connection.client.get<KubeObject>(deployments, { name: 'web', namespace });
    const labelled = (label: string) =>
      connection.client.patch(
        deployments,
        { name: 'web', namespace },
        { type: 'merge', body: { metadata: { labels: { [label]: 'yes' } } } },
        { dryRun: true },
      );
    for (const label of ['unwanted', 'also']) await expect(labelled(label)).rejects.toThrow(`${label} is not wanted`);
    expect(deployment.metadata.labels?.['also']).toBeUndefined();
    await expect(labelled('fine')).resolves.toMatchObject({ metadata: { labels: { fine: 'yes' } } });
  }, 60_000);

  it('has made nothing twice, and nothing to complain about in its log', async () => {
    expect(await jobNames()).toHaveLength(2);
    expect(committedDetections(target.repository)).toHaveLength(1);
    const errors = program
      .logged()
      .split('\n')
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":"warn"'));
    expect(errors).toEqual([]);
    expect(program.logged()).not.toContain(insights.token);
  });
}
