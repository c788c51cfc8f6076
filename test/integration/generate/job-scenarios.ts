import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { GenerateFixture } from './fixture.ts';
import { jobPolicy } from './policies.ts';

export const jobNameOf = (image: string) => `img-${createHash('sha256').update(image).digest('hex').slice(0, 8)}`;
const nginx = jobNameOf('nginx:1.21');

/** One Job per image: what triggers it, and above all what does not. */
export function defineJobScenarios(cluster: () => Cluster): void {
  describe('one Job per image', () => {
    let fixture: GenerateFixture;
    let shop: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      shop = await fixture.namespace('shop');
    });
    afterEach(() => fixture.close());

    const jobsAre = (expected: readonly string[]) =>
      eventually(async () => expect(await fixture.jobs(shop)).toEqual([...expected].sort()));
    /** Whatever was to happen has happened when a later trigger has had its effect. */
    const settled = async () => {
      const image = `marker:${Math.random().toString(36).slice(2)}`;
      await fixture.pod(shop, `marker-${image.slice(7)}`, image);
      const job = jobNameOf(image);
      await eventually(async () => expect(await fixture.jobs(shop)).toContain(job));
      const found = await fixture.get('batch/v1', 'Job', job, shop);
      await fixture.remove(found!);
      await eventually(async () => expect(await fixture.jobs(shop)).not.toContain(job));
    };
    const eventsOf = async (object: KubeObject) =>
      (await fixture.list('v1', 'Event')).filter((event) => {
        const about = event['involvedObject'] as Readonly<Record<string, string>>;
        return event['reason'] === 'PolicyApplied' && about['uid'] === object.metadata.uid;
      });

    it('is made for the first pod of an image, and only for that', async () => {
      await fixture.start();
      const [policy] = await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      const first = await fixture.pod(shop, 'first', 'nginx:1.21');
      await jobsAre([nginx]);
      const second = await fixture.pod(shop, 'second', 'nginx:1.21');
      await settled();
      await jobsAre([nginx]);
      const job = (await fixture.get('batch/v1', 'Job', nginx, shop))!;
      expect(job.metadata.labels).toMatchObject({
        app: 'image-processor',
        'generated-by': 'kyverno',
        'source-image-hash': nginx.slice(4),
        'source-image': 'nginx-1.21',
        'app.kubernetes.io/managed-by': 'kyverno',
        'generate.kyverno.io/policy-name': `job-${shop}`,
        'generate.kyverno.io/policy-namespace': '',
        'generate.kyverno.io/rule-name': 'generate-job-for-image',
        'generate.kyverno.io/trigger-version': 'v1',
        'generate.kyverno.io/trigger-group': '',
        'generate.kyverno.io/trigger-kind': 'Pod',
        'generate.kyverno.io/trigger-namespace': shop,
        'generate.kyverno.io/trigger-uid': first.metadata.uid,
        'supercargo.dev/owner': fixture.installation,
      });
      expect(job.metadata.annotations).toMatchObject({
        'kyverno.io/generated-by-policy': 'generate-unique-job-per-image',
        'kyverno.io/source-image': 'nginx:1.21',
        'kyverno.io/source-pod': 'first',
        'kyverno.io/source-namespace': shop,
      });
      expect(job['spec']).toMatchObject({ ttlSecondsAfterFinished: 300 });
      await eventually(async () => {
        expect(await eventsOf(first)).toHaveLength(1);
        expect((await eventsOf(policy!)).map(({ metadata }) => metadata.namespace)).toContain('default');
      });
      expect(await eventsOf(second)).toHaveLength(0);
    });

    it('is not made for pods with an owner, of excluded namespaces, or that a further precondition excludes', async () => {
      const precondition = `
          - key: "{{ request.object.metadata.labels.process || 'true' }}"
            operator: Equals
            value: "true"
`;
      const policy = jobPolicy(`job-${shop}`, `${shop}, kube-system`);
      const at = policy.indexOf('      generate:\n');
      await fixture.start();
      await fixture.yaml(policy.slice(0, at) + precondition.slice(1) + policy.slice(at));
      const owner = await fixture.put({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'owner', namespace: shop },
      });
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid! };
      await fixture.pod(shop, 'owned', 'nginx:1.21', { ownerReferences: [reference] });
      await fixture.pod(shop, 'unwanted', 'nginx:1.21', { labels: { process: 'false' } });
      await settled();
      await jobsAre([]);
      await fixture.pod(shop, 'wanted', 'nginx:1.21', { labels: { process: 'true' } });
      await jobsAre([nginx]);
    });

    it('is made for pods that came after the policy and before the program, and not for older ones', async () => {
      await fixture.start();
      await fixture.stop();
      await fixture.pod(shop, 'older', 'redis:6.2');
      // Time stamps are whole seconds: the older pod shall be older by the clock too.
      const second = () => Math.floor(Date.now() / 1000);
      const begun = second();
      await eventually(() => expect(second()).toBeGreaterThan(begun));
      await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      await fixture.pod(shop, 'younger', 'nginx:1.21');
      await fixture.start();
      await jobsAre([nginx]);
      await settled();
      await jobsAre([nginx]);
    });

    it('is made for pods that were created, or deleted again, while the program was down', async () => {
      await fixture.start();
      await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      await settled();
      await fixture.stop();
      await fixture.pod(shop, 'still-there', 'nginx:1.21');
      const brief = await fixture.pod(shop, 'brief', 'redis:6.2');
      await fixture.remove(brief);
      await fixture.start();
      await jobsAre([nginx, jobNameOf('redis:6.2')]);
    });

    it('is not made again by a restart, a status or an old pod once its time is over, but by a new pod', async () => {
      await fixture.start();
      await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      const pod = await fixture.pod(shop, 'old', 'nginx:1.21');
      await jobsAre([nginx]);
      await fixture.stop();
      // As the TTL controller does.
      await fixture.remove((await fixture.get('batch/v1', 'Job', nginx, shop))!);
      await fixture.start();
      const type = await fixture.typeOf(pod);
      const status = { status: { message: 'a message', reason: 'Story' } };
      await fixture.connection.client.patch(
        type,
        { name: 'old', namespace: shop },
        { type: 'merge', body: status },
        { subresource: 'status' },
      );
      const metadata = { metadata: { labels: { later: 'yes' }, annotations: { note: 'later' } } };
      await fixture.connection.client.patch(type, { name: 'old', namespace: shop }, { type: 'merge', body: metadata });
      await settled();
      await jobsAre([]);
      await fixture.pod(shop, 'new', 'nginx:1.21');
      await jobsAre([nginx]);
    });

    it('has a legal label for an image at an address of IPv6', async () => {
      await fixture.start();
      await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      const image = '[fd00::1]:5000/team/app:v1';
      await fixture.pod(shop, 'six', image);
      await jobsAre([jobNameOf(image)]);
      const job = await fixture.get('batch/v1', 'Job', jobNameOf(image), shop);
      expect(job?.metadata.labels?.['source-image']).toBe('fd00--1--5000-team-app-v1');
    });

    it('is made for new pods only, also when history is forgotten', async () => {
      await fixture.start();
      await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      const pod = await fixture.pod(shop, 'changing', 'nginx:1.21');
      await jobsAre([nginx]);
      const body = { spec: { containers: [{ name: 'app', image: 'nginx:1.22' }] } };
      const type = await fixture.typeOf(pod);
      await fixture.connection.client.patch(type, { name: 'changing', namespace: shop }, { type: 'strategic', body });
      await settled();
      await jobsAre([nginx]);
      await fixture.stop();
      for (const name of await fixture.jobs(shop))
        await fixture.remove((await fixture.get('batch/v1', 'Job', name, shop))!);
      const labels = { metadata: { labels: { later: 'yes' } } };
      const late = await fixture.pod(shop, 'late', 'redis:6.2');
      await fixture.connection.client.patch(
        type,
        { name: 'changing', namespace: shop },
        { type: 'merge', body: { status: { message: 'x' } } },
        { subresource: 'status' },
      );
      await cluster().forgetHistory!(Number(late.metadata.resourceVersion));
      await fixture.start();
      // The late pod came after the checkpoint; the other one only had its status changed since.
      await jobsAre([jobNameOf('redis:6.2')]);
      await settled();
      await jobsAre([jobNameOf('redis:6.2')]);
      await fixture.connection.client.patch(
        type,
        { name: 'changing', namespace: shop },
        { type: 'merge', body: labels },
      );
      await settled();
      await jobsAre([jobNameOf('redis:6.2')]);
    });
  });
}
