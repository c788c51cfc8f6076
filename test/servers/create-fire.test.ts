import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundleScript } from '../integration/bundle.ts';
import { detectionOf, itemOf, localPublisher, localTemplate, type Publisher } from '../integration/create-publisher.ts';
import { type Program, startNode } from '../integration/program.ts';
import { hasGit, plainGit } from '../support/git-server.ts';
import { committedDetections, filesOf, type GitTarget, localTarget } from '../support/git-targets.ts';

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
    const { repository } = target;
    const script = await bundleScript('create-fire-process.ts');
    const dir = mkdtempSync(join(tmpdir(), 'supercargo-writer-'));
    const start = (...args: string[]) => startNode([script.file, args[0]!, repository, ...args.slice(1)]);
    const programs = [start('write', dir)];
    try {
      const [writer] = programs as [Program];
      await writer.until((output) => output.includes('pushed 0\n') || undefined);
      // Both leaders at once: a lease is no fence.
      const leaders = [start('publish', '50', '10'), start('publish', '50', '100')];
      programs.push(...leaders);
      for (const leader of leaders) expect(await leader.ended, leader.output).toBe(0);
      expect(await writer.end(), writer.output).toBe(0);
      const said = (program: Program, word: string) =>
        [...program.output.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, value]) => value!);

      const detections = Array.from({ length: 50 }, (_, i) => detectionOf(`image-${i}`, 'v1'));
      expect([...committedDetections(repository)].sort()).toEqual(
        detections.map(({ metadata }) => `n/${metadata.name}`).sort(),
      );
      const commits = said(leaders[0]!, 'result');
      expect(commits).toHaveLength(50);
      for (const commit of commits) expect(commit).toMatch(/^[0-9a-f]{40}$/);
      expect(said(leaders[1]!, 'result')).toEqual(commits);
      const files = filesOf(repository);
      for (const { spec } of detections)
        expect(files[`apps/${spec.imageName}.yaml`]).toBe(`image: ${spec.fullImageName}`);
      for (const count of said(writer, 'pushed')) expect(files[`other/${count}`]).toBe(count);
      expect(plainGit(repository, 'rev-list', '--merges', '--count', 'main')).toBe('0');
    } finally {
      await Promise.all(programs.map((program) => program.end('SIGKILL')));
      rmSync(dir, { recursive: true, force: true });
      script.remove();
    }
  }, 180_000);

  it('commits the detections of one window together, and skips existing files', async () => {
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

  it('refuses a path through a link, and other detections are not affected', async () => {
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
