import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { type ImageDetected, type ImageResourcePolicy, ownerLabel, type ResourceTemplate } from '../api/index.ts';
import { type Logger, rfc3339 } from '../base/index.ts';
import { GitError } from '../git/index.ts';
import { ImageIndex } from '../inventory/index.ts';
import { applyMergePatch, findCondition } from '../object/index.ts';
import { type CreatorOptions, createCreator } from './controller.ts';
import { createCreateMetrics } from './metrics.ts';
import type { Publish } from './publisher.ts';
import { lineageOf } from './siblings.ts';

const dayMs = 24 * 60 * 60 * 1000;
const startMs = Date.parse('2026-01-01T00:00:00Z');
const signal = new AbortController().signal;
const apiVersion = 'automation.gitops.io/v1beta1';

const template: ResourceTemplate = {
  apiVersion,
  kind: 'ResourceTemplate',
  metadata: { name: 't', namespace: 'n' },
  spec: {
    template: 'image: {{ .FullImageName }}',
    gitRepository: { url: 'https://git.example/r.git' },
    allowExternalDetections: true,
  },
};
const policy: ImageResourcePolicy = {
  apiVersion,
  kind: 'ImageResourcePolicy',
  metadata: { name: 'p', namespace: 'n' },
  spec: { policy: { alphabetical: {} }, templateRef: { name: 't' } },
};

/** One creator on objects in memory. */
function rig(publish: Publish, options: Partial<CreatorOptions> = {}) {
  const clock = createFakeClock(startMs);
  const detections = new Map<string, ImageDetected>();
  const phases: string[] = [];
  const logged: string[] = [];
  const recorded: string[] = [];
  const add = (tag: string, more: Partial<ImageDetected> = {}, spec: Partial<ImageDetected['spec']> = {}) =>
    detections.set(`n/${tag}`, {
      apiVersion,
      kind: 'ImageDetected',
      metadata: { name: tag, namespace: 'n', uid: tag, labels: { [ownerLabel]: 'test' } },
      spec: {
        imageName: 'team-web',
        imageTag: tag,
        imageDigest: `sha256:${'0'.repeat(64)}`,
        fullImageName: `r.example/team/web:${tag}`,
        sourcePolicy: { name: 'p', namespace: 'n' },
        detectedAt: rfc3339(clock.now()),
        ...spec,
      },
      ...more,
    });
  const log: Logger = {
    debug() {},
    info: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
    warn() {},
    error() {},
    child: () => log,
  };
  const index = new ImageIndex();
  const reconcile = createCreator({
    client: {
      get: async (_, { name }) => detections.get(`n/${name}`) as never,
      async patch(_, { name }, { body }) {
        const next = applyMergePatch(detections.get(`n/${name}`)!, body as never) as unknown as ImageDetected;
        detections.set(`n/${name}`, next);
        phases.push(`${name} ${next.status?.phase}`);
        return next as never;
      },
      delete: async (_, { name }) => void detections.delete(`n/${name}`),
    },
    detectionOf: (key) => detections.get(key),
    policyOf: (key) => (key === 'n/p' ? policy : undefined),
    templateOf: (key) => (key === 'n/t' ? template : undefined),
    siblingsOf: (lineage, check) => [...detections.values()].filter((one) => lineageOf(one, check) === lineage),
    prefixesOf: () => () => undefined,
    prefixOfDigest: () => undefined,
    inventory: { index, hasSynced: true },
    schemaOf: () => undefined,
    dryRun: async () => {},
    publish,
    installation: 'test',
    events: { record: (_, { reason }) => void recorded.push(reason), dropped: 0, run: async () => {} },
    metrics: createCreateMetrics(new Registry()),
    clock,
    random: () => 0,
    log,
    ...options,
  });
  const look = async (tag: string) => (await reconcile(`n/${tag}`, signal))?.requeueAfterMs;
  const phaseAndReason = (tag: string) => {
    const { status } = detections.get(`n/${tag}`)!;
    return `${status?.phase} ${findCondition(status?.conditions, 'Ready')?.reason}`;
  };
  return { clock, detections, phases, logged, recorded, add, index, look, phaseAndReason };
}

const commits: Publish = async ({ files }) => ({
  kind: 'committed',
  commit: 'c'.repeat(40),
  files: files.map(({ path }) => path),
  isRecovered: false,
});

describe('a detection', () => {
  it('goes from Processing to Completed, and names the commit', async () => {
    const { add, look, detections, phases, recorded } = rig(commits);
    add('v1');
    expect(await look('v1')).toBe(7 * dayMs);
    expect(phases).toEqual(['v1 Processing', 'v1 Completed']);
    expect(recorded).toEqual(['Committed', 'Committed']);
    expect(detections.get('n/v1')?.status).toMatchObject({
      resourceCreated: true,
      gitCommitSHA: 'c'.repeat(40),
      files: ['team-web.yaml'],
      processedAt: '2026-01-01T00:00:00Z',
      attempts: 1,
    });
    // Completed detections are not processed again.
    await look('v1');
    expect(phases).toHaveLength(2);
  });

  it('of a running image is skipped, with the prescribed log texts', async () => {
    const { add, look, index, phaseAndReason, logged, phases } = rig(() =>
      Promise.reject(new Error('not to be called')),
    );
    const image = 'r.example/team/web:v0';
    index.put({ kind: 'Deployment', namespace: 'shop', name: 'web' }, [{ container: 'c', image, source: image }]);
    add('v1');
    await look('v1');
    expect(phaseAndReason('v1')).toBe('Completed DelegatedToGitOps');
    expect(phases).toEqual(['v1 Completed']);
    expect(logged).toEqual([
      'Image existence check completed {"imageName":"r.example/team/web:v1","exists":true,"usageCount":1}',
      'Image already exists in cluster, skipping resource creation and Git operations {"imageName":"r.example/team/web:v1","reason":"DelegatedToGitOps"}',
      'Found existing resource using this image {"resourceKind":"Deployment","resourceName":"web","resourceNamespace":"shop","containerName":"c"}',
    ]);
  });

  it('waits until the image index is complete', async () => {
    const { add, look, phases } = rig(commits, { inventory: { index: new ImageIndex(), hasSynced: false } });
    add('v1');
    expect(await look('v1')).toBe(1_000);
    expect(phases).toEqual([]);
  });

  it('is retried soon if Git is unreachable, later if Git denies access, and not at all for invalid settings', async () => {
    let thrown: unknown = new GitError('git-network', 'gone');
    const { add, look, phaseAndReason } = rig(() => Promise.reject(thrown));
    add('v1');
    expect([await look('v1'), phaseAndReason('v1')]).toEqual([1_000, 'Failed GitUnreachable']);
    expect(await look('v1')).toBe(2_000);
    thrown = new GitError('git-auth-failed', 'no');
    expect([await look('v1'), phaseAndReason('v1')]).toEqual([120_000, 'Failed GitAuthFailed']);
    thrown = new GitError('git-settings-invalid', 'what');
    expect([await look('v1'), phaseAndReason('v1')]).toEqual([7 * dayMs, 'Failed InvalidGitSettings']);
  });

  it('passes on once that it may have been pushed before', async () => {
    const seen: boolean[] = [];
    const { add, look } = rig((item, end) => {
      seen.push(item.mayBePushed);
      return seen.length === 1 ? Promise.reject(new GitError('git-timeout', 'lost')) : commits(item, end);
    });
    add('v1');
    await look('v1');
    await look('v1');
    expect(seen).toEqual([false, true]);
  });

  it('waits for a newer detection of the same repository', async () => {
    const { add, look, phaseAndReason, clock } = rig(commits);
    add('v1');
    await clock.advance(2_000);
    add('v2');
    expect(await look('v1')).toBe(1_000);
    expect(phaseAndReason('v1')).toBe('Pending WaitingForSibling');
    await look('v2');
    expect(phaseAndReason('v2')).toBe('Completed Committed');
  });

  it('without its policy, or with a policy of another namespace, fails', async () => {
    const { add, look, phaseAndReason } = rig(commits);
    add('v1', {}, { sourcePolicy: { name: 'gone' } });
    await look('v1');
    expect(phaseAndReason('v1')).toBe('Failed PolicyNotFound');
    add('v2', {}, { sourcePolicy: { name: 'p', namespace: 'other' } });
    await look('v2');
    expect(phaseAndReason('v2')).toBe('Failed AccessDenied');
  });

  it('is deleted when it expires, if it is ours', async () => {
    const { add, look, clock, detections } = rig(commits);
    const done = { status: { phase: 'Completed' as const } };
    add('ours', done);
    add('theirs', { ...done, metadata: { name: 'theirs', namespace: 'n', uid: 'theirs' } });
    add('kept', done, { ttlDays: 0 });
    expect(await look('ours')).toBe(7 * dayMs);
    await clock.advance(7 * dayMs);
    for (const tag of ['ours', 'theirs', 'kept']) await look(tag);
    expect([...detections.keys()]).toEqual(['n/theirs', 'n/kept']);
  });
});
