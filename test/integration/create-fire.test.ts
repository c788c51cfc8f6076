import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Publish, PublishItem, PublishResult } from '../../src/create/index.ts';
import { GitError } from '../../src/git/index.ts';
import { hasGit, plainGit, plainGitAsync } from '../support/git-server.ts';
import { committedDetections, filesOf, type GitTarget, localTarget } from '../support/git-targets.ts';
import { detectionOf, itemOf, localPublisher, localTemplate, type Publisher } from './create-rig.ts';

const signal = new AbortController().signal;

describe.skipIf(!hasGit())('a branch that others write to', () => {
  let target: GitTarget;
  const publishers: Publisher[] = [];
  const publisher = (...options: Parameters<typeof localPublisher>) => {
    const made = localPublisher(...options);
    publishers.push(made);
    return made;
  };
  beforeEach(async () => {
    target = await localTarget();
  });
  afterEach(async () => {
    for (const one of publishers.splice(0)) one.remove();
    await target.stop();
  });

  it('takes fifty detections of two processes at once while a third pushes every 100 ms: each once, nothing lost', async () => {
    const writer = startWriter(target.repository);
    await writer.started;
    const template = localTemplate(target.url);
    const items = Array.from({ length: 50 }, (_, i) => itemOf(detectionOf(`image-${i}`, 'v1'), template));
    // Both leaders at once: a lease is no fence.
    const [a, b] = [publisher({ maxItems: 10 }), publisher()];
    const results = await Promise.all(
      [a, b].flatMap(({ publish }) => items.map((item) => publishAtLast(publish, item))),
    ).finally(writer.stop);
    const pushed = await writer.pushed;
    const trailers = committedDetections(target.repository);
    expect([...trailers].sort()).toEqual(items.map(({ detection }) => `n/${detection.metadata.name}`).sort());
    const commitOf = (result: PublishResult) => (result.kind === 'committed' ? result.commit : result.kind);
    for (let i = 0; i < items.length; i++) expect(commitOf(results[i]!)).toBe(commitOf(results[i + items.length]!));
    const files = filesOf(target.repository);
    for (const { detection } of items)
      expect(files[`apps/${detection.spec.imageName}.yaml`]).toBe(`image: ${detection.spec.fullImageName}`);
    expect(pushed).toBeGreaterThan(0);
    for (let i = 0; i < pushed; i++) expect(files[`other/${i}`]).toBe(`${i}`);
    expect(plainGit(target.repository, 'rev-list', '--merges', '--count', 'main')).toBe('0');
  }, 180_000);

  it('puts what comes within a window into one commit, and tells apart what was there', async () => {
    const template = localTemplate(target.url);
    const { publish } = publisher();
    const items = ['a', 'b', 'c'].map((name) => itemOf(detectionOf(name, 'v1'), template));
    const results = await Promise.all(items.map((item) => publish(item, signal)));
    expect(new Set(results.map((result) => result.kind === 'committed' && result.commit)).size).toBe(1);
    expect(plainGit(target.repository, 'log', '-1', '--format=%an <%ae>%n%B', 'main')).toBe(
      [
        'Supercargo <supercargo@localhost>',
        'Add 3 images',
        '',
        '- Add a v1',
        '- Add b v1',
        '- Add c v1',
        '',
        ...items.map(({ detection }) => `Supercargo-Detection: n/${detection.metadata.name} ${detection.metadata.uid}`),
      ].join('\n'),
    );
    // The next version finds the file, and leaves it.
    const next = await publish(itemOf(detectionOf('a', 'v2'), template), signal);
    expect(next).toMatchObject({ kind: 'present', files: ['apps/a.yaml'] });
    // The same detection once more finds its own commit.
    expect(await publish(items[0]!, signal)).toEqual({ ...results[0], isRecovered: true });
    // Where every version is wanted, the file is brought up to date, and never by an empty commit.
    const exact = itemOf(detectionOf('a', 'v2'), template, { keepsFiles: false });
    const updated = await publish(exact, signal);
    expect(updated).toMatchObject({ kind: 'committed', isRecovered: false });
    expect(await publish(exact, signal)).toEqual({ ...updated, isRecovered: true });
    expect(filesOf(target.repository)['apps/a.yaml']).toBe('image: r.example/a:v2');
  }, 60_000);

  it('is not wanted while a file of an earlier detection is there, wherever that is', async () => {
    const multiFiles = [{ relativePath: '{{ .ImageTag }}.yaml', template: 'image: {{ .FullImageName }}' }];
    const { template: _, ...spec } = localTemplate(target.url, { multiFiles }).spec;
    const template = { ...localTemplate(target.url), spec };
    const { publish } = publisher();
    await publish(itemOf(detectionOf('a', 'v1'), template), signal);
    const first = detectionOf('a', 'v1');
    const precedents = [{ ...first, status: { files: ['apps/v1.yaml'] } }];
    const second = itemOf(detectionOf('a', 'v2'), template, { precedents });
    expect(await publish(second, signal)).toEqual({
      kind: 'present',
      files: ['apps/v1.yaml'],
      precedent: 'n/a-v1',
    });
    // Somebody removed it: then it does not count.
    const gone = itemOf(detectionOf('a', 'v3'), template, {
      precedents: [{ ...first, status: { files: ['apps/gone.yaml'] } }],
    });
    expect(await publish(gone, signal)).toMatchObject({ kind: 'committed' });
  }, 60_000);

  it('lets nobody through a link, and nobody suffer for it', async () => {
    const work = mkdtempSync(join(tmpdir(), 'supercargo-linker-'));
    try {
      plainGit(work, 'clone', '--quiet', target.repository, 'c');
      plainGit(join(work, 'c'), 'checkout', '--quiet', '-B', 'main');
      plainGit(join(work, 'c'), 'config', 'core.symlinks', 'true');
      const blob = plainGit(join(work, 'c'), 'hash-object', '-w', '--stdin');
      plainGit(join(work, 'c'), 'update-index', '--add', '--cacheinfo', `120000,${blob},apps/bad.yaml`);
      plainGit(join(work, 'c'), 'commit', '--quiet', '-m', 'link');
      plainGit(join(work, 'c'), 'push', '--quiet', 'origin', 'main');
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
    const template = localTemplate(target.url);
    const { publish } = publisher();
    const [bad, good] = await Promise.all(
      ['bad', 'good'].map((name) => publish(itemOf(detectionOf(name, 'v1'), template), signal)),
    );
    expect(bad).toMatchObject({ kind: 'failed', thrown: { code: 'git-path-refused' } });
    expect(good).toMatchObject({ kind: 'committed' });
  }, 60_000);
});

/** As the controller does: when others were faster every time, the detection comes back later. */
async function publishAtLast(publish: Publish, item: PublishItem): Promise<PublishResult> {
  for (;;) {
    try {
      return await publish(item, signal);
    } catch (thrown) {
      if (!(thrown instanceof GitError) || thrown.code !== 'git-branch-moved') throw thrown;
    }
  }
}

/** Another writer, in a clone of its own; every file it pushes has its number. */
function startWriter(repository: string) {
  const dir = mkdtempSync(join(tmpdir(), 'supercargo-writer-'));
  let isStopped = false;
  let ready = () => {};
  const started = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const work = async () => {
    let count = 0;
    await plainGitAsync(dir, 'clone', '--quiet', repository, 'c');
    const clone = join(dir, 'c');
    await plainGitAsync(clone, 'checkout', '--quiet', '-B', 'main');
    await plainGitAsync(clone, 'config', 'gc.auto', '0');
    while (!isStopped) {
      const blob = join(dir, 'content');
      writeFileSync(blob, `${count}`);
      const object = await plainGitAsync(clone, 'hash-object', '-w', blob);
      await plainGitAsync(clone, 'update-index', '--add', '--cacheinfo', `100644,${object},other/${count}`);
      await plainGitAsync(clone, 'commit', '--quiet', '-m', `other ${count}`);
      for (;;) {
        try {
          await plainGitAsync(clone, 'push', '--quiet', 'origin', 'main');
          break;
        } catch {
          await plainGitAsync(clone, 'fetch', '--quiet', 'origin', 'main');
          await plainGitAsync(clone, 'reset', '--quiet', '--soft', 'origin/main');
          await plainGitAsync(clone, 'read-tree', 'origin/main');
          await plainGitAsync(clone, 'update-index', '--add', '--cacheinfo', `100644,${object},other/${count}`);
          await plainGitAsync(clone, 'commit', '--quiet', '-m', `other ${count}`);
        }
      }
      count++;
      ready();
      await sleep(100);
    }
    rmSync(dir, { recursive: true, force: true });
    return count;
  };
  const pushed = work();
  return {
    started: Promise.race([started, pushed]),
    pushed,
    stop: () => {
      isStopped = true;
    },
  };
}
