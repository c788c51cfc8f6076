import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import {
  type ImageDetected,
  type ImageResourcePolicy,
  imageResourcePolicies,
  imagesDetected,
  type ResourceTemplate,
  resourceTemplates,
} from '../../src/api/index.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createCreateMetrics, createCreator, createPublisher, lineageOf } from '../../src/create/index.ts';
import { createGit, type Git } from '../../src/git/index.ts';
import { ImageIndex } from '../../src/inventory/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { type KubeObject, keyOf } from '../../src/object/index.ts';
import { createCreateFixture } from '../integration/create-fixture.ts';
import { useInstalledCluster } from '../integration/installed-cluster.ts';
import { hasGit } from '../support/git-server.ts';
import { committedDetections, filesOf, type GitTarget, localTarget } from '../support/git-targets.ts';

class Killed extends Error {}

/** Lets so many calls to the outside happen, and dies before the next, or after it and before its answer. */
class Life {
  readonly steps: string[] = [];
  private isDead = false;
  constructor(
    private readonly lastStep: number,
    private readonly dies: 'before' | 'after',
  ) {}

  get hasDied(): boolean {
    return this.isDead;
  }

  async step<T>(name: string, act: () => Promise<T>): Promise<T> {
    const isLast = !this.isDead && this.steps.push(name) === this.lastStep + 1;
    if (this.isDead || (isLast && this.dies === 'before')) {
      this.isDead = true;
      throw new Killed(name);
    }
    const result = await act();
    if (isLast) this.isDead = true;
    if (this.isDead) throw new Killed(name);
    return result;
  }
}

describe.skipIf(!hasGit())('a process that is killed at any step', () => {
  const installed = useInstalledCluster();

  const list = async <T extends KubeObject>(type: Parameters<KubeClient['list']>[0], namespace: string) =>
    new Map((await installed.connection.client.list<T>(type, { namespace })).items.map((item) => [keyOf(item), item]));

  /** Works on all detections of a namespace until none is left to do, or until its death. */
  async function live(namespace: string, life: Life): Promise<void> {
    const dir = mkdtempSync(join(tmpdir(), 'supercargo-kill-'));
    const git = createGit({ cacheDir: join(dir, 'cache'), temporaryDir: dir, path: process.env['PATH'] ?? '' });
    const mortalGit: Pick<Git, 'commit'> = {
      commit: (request, signal) =>
        life.step('commit and push', () =>
          git.commit(
            { ...request, render: (folder, history) => life.step('render', () => request.render(folder, history)) },
            signal,
          ),
        ),
    };
    const { client } = installed.connection;
    const mortalClient: Pick<KubeClient, 'get' | 'patch' | 'delete'> = {
      get: (...args) => life.step('read', () => client.get(...args)),
      patch: (...args) => life.step(phaseOf(args[2]), () => client.patch(...args)),
      delete: (...args) => life.step('delete', () => client.delete(...args)),
    };
    const [policies, templates] = [
      await list<ImageResourcePolicy>(imageResourcePolicies, namespace),
      await list<ResourceTemplate>(resourceTemplates, namespace),
    ];
    let detections = await list<ImageDetected>(imagesDetected, namespace);
    const metrics = createCreateMetrics(new Registry());
    const reconcile = createCreator({
      client: mortalClient,
      detectionOf: (key) => detections.get(key),
      policyOf: (key) => policies.get(key),
      templateOf: (key) => templates.get(key),
      siblingsOf: (lineage, check) => [...detections.values()].filter((one) => lineageOf(one, check) === lineage),
      prefixesOf: () => () => undefined,
      prefixOfDigest: () => undefined,
      inventory: { index: new ImageIndex(), hasSynced: true },
      schemaOf: () => undefined,
      dryRun: async () => {},
      publish: createPublisher({
        git: mortalGit,
        remoteOf: async ({ template }) => ({ url: template.spec.gitRepository.url, branch: 'main' }),
        clock: systemClock,
        metrics,
        windowMs: 5,
      }),
      installation: 'test',
      events: { record() {}, dropped: 0, run: async () => {} },
      metrics,
      clock: systemClock,
      random: () => 0,
      log: silentLogger,
    });
    const signal = new AbortController().signal;
    try {
      for (let round = 0; round < 20 && !life.hasDied; round++) {
        detections = await list<ImageDetected>(imagesDetected, namespace);
        const open = [...detections.values()].filter(({ status }) => status?.phase !== 'Completed');
        if (open.length === 0) return;
        const results = await Promise.allSettled(open.map((one) => reconcile(keyOf(one), signal)));
        for (const result of results)
          if (result.status === 'rejected' && !(result.reason instanceof Killed)) throw result.reason;
      }
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }

  async function scene(namespace: string, duplicateCheck: 'repository' | 'exact'): Promise<GitTarget> {
    const target = await localTarget();
    const fixture = createCreateFixture(installed.connection, namespace);
    await fixture.openNamespace();
    await fixture.template('t', {
      duplicateCheck,
      multiFiles: [
        { relativePath: '{{ .ServiceName }}.yaml', template: 'image: {{ .FullImageName }}' },
        { relativePath: '{{ .ServiceName }}/{{ .ImageTag }}.yaml', template: 'tag: {{ .ImageTag | quote }}' },
      ],
      gitRepository: { url: target.url, path: 'apps' },
    });
    await fixture.policy('t', {});
    await fixture.detection('r.example/team/one:v1', { policy: 't' });
    await fixture.detection('r.example/team/two:v1', { policy: 't' });
    await fixture.detection('r.example/team/two:v2', { policy: 't' });
    return target;
  }

  it.each([
    ['repository', 'before'],
    ['repository', 'after'],
    ['exact', 'before'],
    ['exact', 'after'],
  ] as const)(
    'leaves neither a second commit nor a lost detection (%s, %s each step)',
    async (check, dies) => {
      let steps: readonly string[] = [];
      for (let last = 0; ; last++) {
        const namespace = `kill-${check}-${dies}-${last}`;
        const target = await scene(namespace, check);
        const life = new Life(last, dies);
        await live(namespace, life);
        // Whatever happened: those who come after bring it to the end.
        await live(namespace, new Life(Number.POSITIVE_INFINITY, 'before'));
        const detections = [...(await list<ImageDetected>(imagesDetected, namespace)).values()];
        const trace = `killed ${dies} step ${last}: ${life.steps.join(', ')}`;
        expect(
          detections.map(({ status }) => status?.phase),
          trace,
        ).toEqual(['Completed', 'Completed', 'Completed']);
        const committed = committedDetections(target.repository);
        expect(new Set(committed).size, `${trace}\n${committed.join('\n')}`).toBe(committed.length);
        const created = detections.filter(({ status }) => status?.resourceCreated).map(keyOf);
        expect([...committed].sort(), trace).toEqual(created.sort());
        // The newest version, and of two of one repository one alone.
        const files = filesOf(target.repository);
        expect(files['apps/two.yaml'], trace).toBe('image: r.example/team/two:v2');
        expect(files['apps/one.yaml'], trace).toBe('image: r.example/team/one:v1');
        if (check === 'repository') expect(Object.keys(files), trace).toHaveLength(4);
        await target.stop();
        steps = life.steps;
        if (!life.hasDied) break;
      }
      expect(new Set(steps)).toEqual(new Set(['Processing', 'Pending', 'commit and push', 'render', 'Completed']));
    },
    180_000,
  );
});

const phaseOf = ({ body }: { readonly body: unknown }) =>
  (body as { readonly status: { readonly phase: string } }).status.phase;
