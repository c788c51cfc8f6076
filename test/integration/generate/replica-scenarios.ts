import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapConcurrent } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { type Program, startSupercargo } from '../program.ts';
import { GenerateFixture } from './fixture.ts';
import { jobNameOf } from './job-scenarios.ts';
import { jobPolicy } from './policies.ts';

const pods = 500;
const images = Array.from({ length: 25 }, (_, i) => `registry.example/app-${i}:1.${i}`);

/** Three replicas as processes, of which one is killed and one is asked to go while pods come in. */
export function defineReplicaScenarios(cluster: () => Cluster): void {
  describe('three replicas', () => {
    let fixture: GenerateFixture;
    let dir: string;
    const replicas: Program[] = [];
    beforeAll(async () => {
      fixture = await GenerateFixture.open(cluster());
      dir = mkdtempSync(path.join(tmpdir(), 'supercargo-replicas-'));
      const leaderElection = { leaseDuration: '2s', renewDeadline: '1300ms', retryPeriod: '250ms' };
      const { installation } = fixture;
      const config = {
        installation,
        namespace: 'supercargo-system',
        features: ['generate'],
        server: { port: 0 },
        leaderElection,
      };
      writeFileSync(path.join(dir, 'config.yaml'), JSON.stringify(config));
    });
    afterAll(async () => {
      await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
      rmSync(dir, { recursive: true, force: true });
      await fixture?.close();
    });

    const start = async () => {
      const args = ['run', '--config', path.join(dir, 'config.yaml'), '--kubeconfig', cluster().kubeconfigPath];
      const replica = startSupercargo(args);
      replicas.push(replica);
      await replica.until((output) => /"address":"/.test(output) || undefined);
      return replica;
    };
    const leader = () =>
      eventually(
        () => {
          const found = replicas.find((one) => !one.hasEnded && one.output.includes('generation started'));
          if (!found) throw new Error(`nobody leads:\n${replicas.map(({ output }) => output.slice(-500)).join('\n')}`);
          return found;
        },
        { timeoutMs: 120_000 },
      );

    it(`make one Job per image of ${pods} pods, whoever leads`, { timeout: 400_000 }, async () => {
      await Promise.all([start(), start(), start()]);
      const shop = await fixture.namespace('shop');
      await leader();
      await fixture.yaml(jobPolicy(`job-${shop}`, shop));
      const jobs = await fixture.typeOf({ apiVersion: 'batch/v1', kind: 'Job' });
      const { client } = fixture.connection;
      const { resourceVersion } = await client.list(jobs, { namespace: shop });

      let created = 0;
      const disturbed: Promise<unknown>[] = [];
      await mapConcurrent(Array.from({ length: pods }), 16, async (_, i) => {
        const metadata = { name: `pod-${i}`, namespace: shop };
        const spec = { containers: [{ name: 'app', image: images[i % images.length]! }] };
        const type = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
        await client.create<KubeObject>(type, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
        created++;
        if (created === 20) disturbed.push((await leader()).end('SIGKILL'));
        if (created === 250) disturbed.push(leader().then((next) => next.end('SIGTERM')));
      });
      await Promise.all(disturbed);
      await eventually(async () => expect(await fixture.jobs(shop)).toEqual(images.map(jobNameOf).sort()), {
        timeoutMs: 240_000,
      });

      // A pod that comes last shows that all before it were looked at.
      await fixture.pod(shop, 'last', 'last:1');
      await eventually(async () => expect(await fixture.jobs(shop)).toContain(jobNameOf('last:1')), {
        timeoutMs: 30_000,
      });
      const uids = new Map<string, string>();
      for await (const event of client.watch<KubeObject>(jobs, {
        namespace: shop,
        resourceVersion,
        timeoutSeconds: 2,
      })) {
        if (event.type === 'BOOKMARK') continue;
        uids.set(event.object.metadata.uid ?? '', event.object.metadata.name ?? '');
      }
      expect([...uids.values()].sort()).toEqual([...images, 'last:1'].map(jobNameOf).sort());
      expect(replicas.filter(({ hasEnded }) => hasEnded)).toHaveLength(2);
    });
  });
}
