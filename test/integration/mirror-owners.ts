import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helmPath, kubectlPath, runTool } from '../support/kubectl.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { type ConnectProgram, createMirrorFixture, imagesOf, type MirrorFixture, types } from './mirror-fixture.ts';
import { createMirrorSession, patience } from './mirror-session.ts';

const kubectl = await kubectlPath();
const helm = await helmPath();

/** Who owns a field stays its owner when the background pass has an image replaced; shown with the clients themselves. */
export function defineMirrorOwners(start: () => Promise<Cluster>, connectProgram?: ConnectProgram): void {
  let fixture: MirrorFixture;
  let folder: string;
  const session = createMirrorSession(() => fixture);
  const { at, copyOf, imagesNow } = session;
  beforeAll(async () => {
    fixture = await createMirrorFixture(start, connectProgram);
    folder = await mkdtemp(path.join(tmpdir(), 'supercargo-owners-'));
    // Nothing is copied while a request waits: every rewrite of a new image is one of the background pass.
    await fixture.run({ mode: 'async' });
  }, 120_000);
  afterAll(async () => {
    await fixture?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const run = async (tool: string, ...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await runTool(tool, ['--kubeconfig', fixture.cluster.kubeconfigPath, ...args]);
    expect(`${exitCode} ${stderr.replaceAll(/^(W|I)\d.*$|^Warning: .*$/gm, '').trim()}`).toBe('0 ');
    return stdout;
  };
  const rewritten = (namespace: string, image: string) =>
    eventually(async () => expect(await imagesNow('Deployment', namespace, 'web')).toEqual([copyOf(image)]), patience);
  const generation = async (namespace: string) =>
    (await fixture.get('Deployment', namespace, 'web')).metadata.generation ?? 0;
  /** The distinct images of the revisions that were rolled out. */
  const revisions = async (namespace: string) => {
    const { items } = await fixture.connection.client.list(types['ReplicaSet']!, { namespace });
    return items.map((object) => imagesOf(object)[0]!).sort();
  };
  const ownersOfUs = async (namespace: string) =>
    ((await fixture.get('Deployment', namespace, 'web')).metadata.managedFields ?? []).filter(
      ({ manager }) => manager === 'supercargo-mirror',
    );
  const isSettled = async (namespace: string) => {
    const { metadata, status } = (await fixture.get('Deployment', namespace, 'web')) as never as {
      metadata: { generation: number };
      status?: { observedGeneration?: number };
    };
    expect(status?.observedGeneration).toBe(metadata.generation);
  };

  describe.skipIf(!kubectl)(`beside kubectl apply --server-side${kubectl ? '' : ' (no kubectl)'}`, () => {
    it('an unchanged manifest, another number of replicas and a new image are applied without a conflict', async () => {
      const namespace = await fixture.namespace('apply');
      for (const tag of ['1', '2']) await fixture.push(`own/apply:${tag}`, `apply ${tag}`);
      const file = path.join(folder, 'apply.yaml');
      const apply = async (tag: string, replicas: number) => {
        await writeFile(file, deployment(at(`own/apply:${tag}`), replicas));
        await run(kubectl!, '-n', namespace, 'apply', '--server-side', '-f', file);
      };
      await apply('1', 1);
      await rewritten(namespace, 'own/apply:1');
      expect(await ownersOfUs(namespace)).toEqual([]);
      const before = await generation(namespace);
      expect(before).toBe(2);
      await apply('1', 1);
      expect(await generation(namespace)).toBe(before);
      await apply('1', 2);
      expect(await generation(namespace)).toBe(before + 1);
      expect(await imagesNow('Deployment', namespace, 'web')).toEqual([copyOf('own/apply:1')]);
      await apply('2', 2);
      await rewritten(namespace, 'own/apply:2');
      const after = await generation(namespace);
      expect(after).toBe(before + 3);
      await apply('1', 2);
      await apply('2', 2);
      expect(await imagesNow('Deployment', namespace, 'web')).toEqual([copyOf('own/apply:2')]);
      expect(await ownersOfUs(namespace)).toEqual([]);
      await eventually(() => isSettled(namespace), patience);
      expect(await revisions(namespace)).toEqual(
        [at('own/apply:1'), at('own/apply:2'), copyOf('own/apply:1'), copyOf('own/apply:2')].sort(),
      );
    }, 240_000);
  });

  describe.skipIf(!helm)(`beside helm${helm ? '' : ' (no helm)'}`, () => {
    it('a release is installed, upgraded and rolled back without a conflict and without further roll-outs', async () => {
      const namespace = await fixture.namespace('release');
      for (const tag of ['1', '2']) await fixture.push(`own/helm:${tag}`, `helm ${tag}`);
      const chart = path.join(folder, 'chart');
      await mkdir(path.join(chart, 'templates'), { recursive: true });
      await writeFile(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
      await writeFile(
        path.join(chart, 'templates', 'web.yaml'),
        deployment('{{ .Values.image }}', '{{ .Values.replicas }}'),
      );
      const release = (verb: string, tag: string, replicas: number) =>
        run(helm!, '-n', namespace, verb, 'web', chart, '--set', `image=${at(`own/helm:${tag}`)},replicas=${replicas}`);
      await release('install', '1', 1);
      await rewritten(namespace, 'own/helm:1');
      expect(await ownersOfUs(namespace)).toEqual([]);
      const before = await generation(namespace);
      expect(before).toBe(2);
      await release('upgrade', '1', 1);
      expect(await generation(namespace)).toBe(before);
      await release('upgrade', '1', 2);
      expect(await generation(namespace)).toBe(before + 1);
      await release('upgrade', '2', 2);
      await rewritten(namespace, 'own/helm:2');
      expect(await generation(namespace)).toBe(before + 3);
      await run(helm!, '-n', namespace, 'rollback', 'web', '3');
      await rewritten(namespace, 'own/helm:1');
      expect(await generation(namespace)).toBe(before + 4);
      await release('upgrade', '2', 2);
      await rewritten(namespace, 'own/helm:2');
      expect(await generation(namespace)).toBe(before + 5);
      expect(await ownersOfUs(namespace)).toEqual([]);
      await eventually(() => isSettled(namespace), patience);
      expect(await revisions(namespace)).toEqual(
        [at('own/helm:1'), at('own/helm:2'), copyOf('own/helm:1'), copyOf('own/helm:2')].sort(),
      );
    }, 90_000);
  });
}

const deployment = (image: string, replicas: number | string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: "${image}"}]
`;
