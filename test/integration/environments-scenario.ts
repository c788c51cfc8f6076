import { expect } from 'vitest';
import { type ImageDetected, type ImageResourcePolicySpec, imageResourcePolicies } from '../../src/api/index.ts';
import type { Connection } from '../../src/app/connect.ts';
import { findCondition, type KubeObject } from '../../src/object/index.ts';
import { plainGit } from '../support/git-server.ts';
import { committedDetections, filesOf, type GitTarget } from '../support/git-targets.ts';
import type { RecordedLog } from '../support/recorded-log.ts';
import { eventually } from '../support/wait.ts';
import { events } from './connection.ts';
import { type CreateFixture, deploymentTemplate } from './create-fixture.ts';

/** Where the images of the walk come from. */
export interface EnvironmentsSource {
  /** `registry/path`, without a tag. */
  readonly repository: string;
  push(tag: string): Promise<unknown>;
  /** What a policy says to look there. */
  readonly spec: Partial<ImageResourcePolicySpec>;
}

export interface EnvironmentsScenario {
  readonly connection: Connection;
  readonly namespace: string;
  readonly fixture: CreateFixture;
  readonly target: GitTarget;
  readonly source: EnvironmentsSource;
  readonly logs: RecordedLog;
}

interface Event extends KubeObject {
  readonly involvedObject: { readonly kind: string };
  readonly reason: string;
  readonly message: string;
}

const patience = { timeoutMs: 40_000, intervalMs: 100 };
const pattern = { regex: String.raw`^(dev|staging|prod)-v\d+\.\d+\.\d+$`, extractPrefix: true };
const firstTags = ['dev-v1.2.0', 'staging-v1.2.0', 'prod-v1.2.0'];
const laterTags = ['dev-v1.3.0', 'staging-v1.2.1', 'prod-v1.2.1'];
const environments = ['dev', 'prod', 'staging'];

/** Three environments get a manifest each, and their second versions are left to GitOps. */
export async function runEnvironmentsScenario(walk: EnvironmentsScenario): Promise<void> {
  const { fixture, namespace, target, source } = walk;
  await fixture.template('myapp', {
    template: deploymentTemplate,
    variables: { namespace },
    gitRepository: {
      url: target.url,
      path: './applications',
      commitMessage: 'Deploy {{ .ServiceName }} to {{ .TagPrefix }}',
      author: { name: 'Robot', email: 'robot@example.com' },
      ...(target.secret ? { secretRef: { name: 'git' } } : {}),
    },
  });
  for (const tag of firstTags) await source.push(tag);
  await fixture.policy('myapp', { suspend: false, policy: { pattern }, ...source.spec });
  await eventually(
    async () => expect(await detectionResults(walk)).toEqual(allOf(firstTags, 'Completed true Committed')),
    {
      ...patience,
    },
  );
  const first = filesOf(target.repository);
  expectManifests(walk, first);
  await expectCommits(walk);

  await fixture.applyBranch(target);
  for (const tag of laterTags) await source.push(tag);
  const skipped = allOf(laterTags, 'Completed false DelegatedToGitOps');
  await eventually(async () => expect(await detectionResults(walk)).toMatchObject(skipped), patience);
  expect(filesOf(target.repository)).toEqual(first);
  expect(committedDetections(target.repository)).toHaveLength(3);
  expectLogs(walk);
  await expectEvents(walk);
}

const allOf = (tags: readonly string[], result: string) => Object.fromEntries(tags.map((tag) => [tag, result]));

async function detectionResults({ fixture }: EnvironmentsScenario): Promise<Readonly<Record<string, string>>> {
  const statusOf = ({ status }: ImageDetected) =>
    `${status?.phase} ${status?.resourceCreated} ${findCondition(status?.conditions, 'Ready')?.reason}`;
  return Object.fromEntries((await fixture.detections()).map((one) => [one.spec.imageTag, statusOf(one)]));
}

const fileOf = ({ source }: EnvironmentsScenario, prefix: string) => {
  const path = source.repository.slice(source.repository.indexOf('/') + 1);
  return `applications/${path.replaceAll('/', '-')}-${prefix}.yaml`;
};

function expectManifests(walk: EnvironmentsScenario, files: Readonly<Record<string, string>>): void {
  expect(Object.keys(files).sort()).toEqual(environments.map((prefix) => fileOf(walk, prefix)));
  for (const prefix of environments) {
    const text = files[fileOf(walk, prefix)];
    expect(text).toContain(`  name: myapp-${prefix}\n  namespace: ${walk.namespace}\n`);
    expect(text).toContain(`image: ${walk.source.repository}:${prefix}-v1.2.0`);
  }
}

/** Each detection names a commit of the branch that tells of it. */
async function expectCommits(walk: EnvironmentsScenario): Promise<void> {
  const { fixture, target } = walk;
  for (const { metadata, spec, status } of await fixture.detections()) {
    expect(status?.files).toEqual([fileOf(walk, spec.tagPrefix!)]);
    expect(Date.parse(status?.processedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(spec.detectedAt));
    const commit = plainGit(target.repository, 'show', '-s', '--format=%an <%ae>%n%B', status!.gitCommitSHA!);
    expect(commit).toContain('Robot <robot@example.com>\n');
    expect(commit).toContain(`Deploy myapp to ${spec.tagPrefix}`);
    expect(commit).toContain(`Supercargo-Detection: ${metadata.namespace}/${metadata.name} `);
    expect(() =>
      plainGit(target.repository, 'merge-base', '--is-ancestor', status!.gitCommitSHA!, 'main'),
    ).not.toThrow();
  }
}

/** The words that people of the original search their logs for. */
function expectLogs({ namespace, source, logs }: EnvironmentsScenario): void {
  expect(logs.lines('Cache statistics')[0]).toMatchObject({
    totalImages: expect.any(Number),
    totalResources: expect.any(Number),
  });
  for (const tag of laterTags) {
    const imageName = `${source.repository}:${tag}`;
    const about = (message: string) => logs.lines(message).filter((line) => line['imageName'] === imageName);
    expect(about('Image existence check completed').at(-1)).toMatchObject({ exists: true, usageCount: 1 });
    expect(about('Image already exists in cluster, skipping resource creation and Git operations')).not.toEqual([]);
  }
  for (const prefix of environments)
    expect(logs.lines('Found existing resource using this image')).toContainEqual(
      expect.objectContaining({
        resourceKind: 'Deployment',
        resourceName: `myapp-${prefix}`,
        resourceNamespace: namespace,
        containerName: 'myapp',
      }),
    );
}

/** What `kubectl describe` shows of the policy and of its detections. */
async function expectEvents({ connection, namespace }: EnvironmentsScenario): Promise<void> {
  const { client } = connection;
  await eventually(async () => {
    const policy = await client.get(imageResourcePolicies, { name: 'myapp', namespace });
    expect(policy).toMatchObject({ status: { detected: 6, images: 6, repositories: 1 } });
    const { items } = await client.list<Event>(events, { namespace });
    const told = (kind: string, reason: string) =>
      items
        .filter((event) => event.involvedObject.kind === kind && event.reason === reason)
        .map(({ message }) => message);
    for (const tag of [...firstTags, ...laterTags])
      expect(told('ImageResourcePolicy', 'ImageDetected')).toContainEqual(expect.stringContaining(`:${tag} `));
    for (const reason of ['Committed', 'DelegatedToGitOps']) expect(told('ImageDetected', reason)).toHaveLength(3);
  }, patience);
}
