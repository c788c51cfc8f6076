import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import { locateTool, runTool } from '../../support/kubectl.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { notLocated } from '../../support/skip.ts';
import { eventually } from '../../support/wait.ts';
import { GenerateFixture } from './fixture.ts';
import { jobNameOf } from './job-scenarios.ts';
import { exampleFile } from './policies.ts';

const tool = await locateTool('kubectl');
const images = [
  'nginx:1.21',
  'nginx:latest',
  'nginx:alpine',
  'redis:6.2',
  'postgres:13',
  'gcr.io/google-containers/busybox:1.27.2',
  'busybox@sha256:3fbc632167424a6d997e74f52b878d7cc478225cffac6bc977eedfe51c7f4e79',
];

/** The files of `examples/unique-job-per-image` as a user applies them. */
export function defineExampleScenarios(cluster: () => Cluster): void {
  describe.skipIf(notLocated('the example', tool) !== undefined)('the example', () => {
    let fixture: GenerateFixture;
    beforeAll(async () => {
      fixture = await GenerateFixture.open(cluster());
      await fixture.start();
    });
    afterAll(() => fixture?.close());

    const kubectl = async (...args: readonly string[]) => {
      const run = await runTool(tool.path!, ['--kubeconfig', cluster().kubeconfigPath, ...args]);
      if (run.exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${run.stderr}`);
      return run.stdout;
    };
    const jobsIn = async (namespace: string) => {
      const { items } = JSON.parse(await kubectl('get', 'jobs', '-n', namespace, '-o', 'json')) as {
        readonly items: readonly KubeObject[];
      };
      return items;
    };

    it('gives seven Jobs in default and one in test-namespace', { timeout: 60_000 }, async () => {
      await kubectl('apply', '-f', exampleFile('unique-job-per-image/clusterpolicy.yaml'));
      await kubectl('apply', '-f', exampleFile('unique-job-per-image/test-pods.yaml'));
      const jobs = await eventually(async () => {
        const found = await jobsIn('default');
        expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(images.map(jobNameOf).sort());
        expect((await jobsIn('test-namespace')).map(({ metadata }) => metadata.name)).toEqual([
          jobNameOf('nginx:1.21'),
        ]);
        return found;
      });
      for (const { metadata } of jobs) {
        const image = metadata.annotations?.['kyverno.io/source-image'] ?? '';
        expect(metadata.name).toBe(jobNameOf(image));
        expect(metadata.name).toMatch(/^img-[a-f0-9]{8}$/);
        expect(metadata.labels).toMatchObject({
          app: 'image-processor',
          'generated-by': 'kyverno',
          'source-image-hash': metadata.name?.slice(4),
        });
        expect(metadata.labels?.['source-image']).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/);
        expect(metadata.annotations).toMatchObject({
          'kyverno.io/generated-by-policy': 'generate-unique-job-per-image',
          'kyverno.io/source-namespace': 'default',
        });
      }
      await eventually(async () => {
        const events = await kubectl(
          'get',
          'events',
          '--field-selector',
          'reason=PolicyApplied',
          '-n',
          'default',
          '-o',
          'json',
        );
        const about = (JSON.parse(events) as { readonly items: readonly KubeObject[] }).items.map(
          (event) => event['involvedObject'] as { readonly kind: string; readonly name: string },
        );
        expect(
          about.some(({ kind, name }) => kind === 'ClusterPolicy' && name === 'generate-unique-job-per-image'),
        ).toBe(true);
        const pods = about.filter(({ kind }) => kind === 'Pod').map(({ name }) => name);
        expect(pods).toHaveLength(7);
        expect(pods.filter((name) => name.startsWith('test-same-image'))).toHaveLength(1);
      });
    });

    it('is cleaned up by its script', { timeout: 60_000 }, async () => {
      const run = await runTool('/bin/sh', [
        '-c',
        'KUBECTL=$0 /bin/sh "$1" --policy',
        `${tool.path} --kubeconfig ${cluster().kubeconfigPath}`,
        exampleFile('unique-job-per-image/cleanup.sh'),
      ]);
      expect(run.stderr).toBe('');
      await eventually(
        async () => {
          expect(await jobsIn('default')).toEqual([]);
          expect(
            await kubectl('get', 'clusterpolicy,pods', '-A', '-l', 'test=unique-job-per-image', '-o', 'name'),
          ).toBe('');
          expect(await kubectl('get', 'clusterpolicy', '-o', 'name')).not.toContain('generate-unique-job-per-image');
        },
        { timeoutMs: 40_000 },
      );
    });
  });
}
