import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { LookUpAnswer } from '../../../src/policy/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { GenerateFixture } from './fixture.ts';
import { type RunningGenerator, startGenerator } from './generator.ts';
import { readExample } from './policies.ts';

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
const jobOf = (text: string) => `img-${digestOf(text).slice(0, 16)}`;

/** A registry in which some tags are names of one image. */
const contents: Record<string, string> = {
  'nginx:1.29': 'nginx-build-7',
  'nginx:latest': 'nginx-build-7',
  'mirror.example/nginx:1.29': 'nginx-build-7',
  'busybox:1.36': 'busybox-build-1',
  'debug:1': 'debug-build-1',
  'copies.example/web:1': 'web-build-1',
  'web:1': 'web-build-1',
};

/** `examples/unique-job-per-digest`. */
export function defineDigestScenarios(cluster: () => Cluster): void {
  describe('one Job per digest', () => {
    let fixture: GenerateFixture;
    let shop: string;
    let generator: RunningGenerator;
    const problems = new Map<string, string>();
    const asked = new Map<string, unknown>();
    const lookUps = {
      async answer(lookUp: {
        readonly kind: string;
        readonly reference?: string;
        readonly pullSecrets?: unknown;
      }): Promise<LookUpAnswer> {
        asked.set(lookUp.reference ?? '', lookUp.pullSecrets);
        const content = contents[lookUp.reference ?? ''];
        if (lookUp.kind !== 'imageData' || content === undefined)
          return { ok: false, message: `${lookUp.reference} is not in the registry` };
        return { ok: true, value: { resolvedImage: `${lookUp.reference}@sha256:${digestOf(content)}` } };
      },
    };
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      problems.clear();
      generator = await startGenerator(fixture, {
        lookUps,
        onProblem: (policy, problem) => (problem ? problems.set(policy, problem.message) : problems.delete(policy)),
      });
      await eventually(async () => expect(await fixture.checkpoint()).toBeDefined());
      // The namespace of the previous test is still terminating on a real cluster.
      const isGone = async () => (await fixture.get('v1', 'Namespace', 'image-jobs')) === undefined;
      await eventually(async () => expect(await isGone()).toBe(true));
      const policy = readExample('unique-job-per-digest/clusterpolicy.yaml');
      await fixture.yaml(policy);
      const account = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace: 'image-jobs' },
      };
      await fixture.put(account);
      shop = await fixture.namespace('shop');
    });
    afterEach(async () => {
      await generator.stop();
      await fixture.close();
    });

    const jobsAre = (builds: readonly string[]) =>
      eventually(async () => expect(await fixture.jobs('image-jobs')).toEqual(builds.map(jobOf).sort()));

    it('is made for the images of a pod that can be looked up, and for the others when they can', async () => {
      const image = 'private/late:1';
      await fixture.put({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'mixed', namespace: shop },
        spec: {
          imagePullSecrets: [{ name: 'registry' }],
          initContainers: [{ name: 'init', image }],
          containers: [
            { name: 'a', image: 'nginx:1.29' },
            { name: 'b', image: 'busybox:1.36' },
          ],
        },
      });
      await jobsAre(['nginx-build-7', 'busybox-build-1']);
      await eventually(() => expect([...problems.values()].join()).toContain(`${image} is not in the registry`));
      expect(asked.get(image)).toEqual([
        { namespace: shop, name: 'registry' },
        { namespace: shop, serviceAccount: 'default' },
      ]);
      contents[image] = 'late-build-1';
      await jobsAre(['nginx-build-7', 'busybox-build-1', 'late-build-1']);
      await eventually(() => expect(problems.size).toBe(0));
      delete contents[image];
    });

    it('is made for every container, once in the cluster, and not again when the Job is gone', async () => {
      const bank = await fixture.namespace('bank');
      await fixture.put({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'first', namespace: shop },
        spec: {
          initContainers: [{ name: 'init', image: 'busybox:1.36' }],
          containers: [
            { name: 'a', image: 'nginx:1.29' },
            { name: 'b', image: 'nginx:latest' },
          ],
        },
      });
      await jobsAre(['nginx-build-7', 'busybox-build-1']);
      // An ephemeral container comes by a subresource of its own.
      const pods = await fixture.typeOf({ apiVersion: 'v1', kind: 'Pod' });
      const body = { spec: { ephemeralContainers: [{ name: 'debugger', image: 'debug:1' }] } };
      await fixture.connection.client.patch(
        pods,
        { name: 'first', namespace: shop },
        { type: 'strategic', body },
        { subresource: 'ephemeralcontainers' },
      );
      await jobsAre(['nginx-build-7', 'busybox-build-1', 'debug-build-1']);
      for (const name of await fixture.jobs('image-jobs'))
        await fixture.remove({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'image-jobs' } });
      await eventually(async () => expect(await fixture.jobs('image-jobs')).toEqual([]));

      await generator.stop();
      generator = await startGenerator(fixture, { lookUps });
      await fixture.pod(bank, 'second', 'mirror.example/nginx:1.29');
      const owner = await fixture.put({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'o', namespace: bank },
      });
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: owner.metadata.uid! };
      const copies = { main: { from: 'web:1', to: 'copies.example/web:1' } };
      await fixture.pod(bank, 'owned', 'copies.example/web:1', {
        ownerReferences: [reference],
        annotations: { 'supercargo.dev/source-images': JSON.stringify(copies) },
      });
      await jobsAre(['web-build-1']);
      const job = (await fixture.get('batch/v1', 'Job', jobOf('web-build-1'), 'image-jobs')) as KubeObject;
      expect(job.metadata.annotations).toMatchObject({
        'kyverno.io/source-digest': `sha256:${digestOf('web-build-1')}`,
        'kyverno.io/source-image': 'web:1',
        'kyverno.io/source-namespace': bank,
      });
    });
  });
}
