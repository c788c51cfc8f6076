import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { startDockerRegistry } from '../../test/support/docker-registry.ts';
import { pushImage } from './image.ts';
import { Load } from './load.ts';
import { podOf } from './pods.ts';
import { startServer } from './server-process.ts';

/** What the measured process is to do beside answering: where the cluster, the image and the place for its copies are. */
export interface Work {
  readonly kubeconfig: string;
  readonly image: string;
  readonly targetHost: string;
  /** Names the place of the copy. */
  readonly run: string;
}

export interface BusyCluster {
  work(run: string): Work;
  /** Takes the reports of the run before away, so that they are written again. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export interface BusyClusterOptions {
  readonly program: string;
  readonly policies: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[];
  readonly resources: number;
  readonly imageBytes: number;
}

const namespaces = Array.from({ length: 20 }, (_, i) => `team-${String(i).padStart(2, '0')}`);

/** A cluster full of pods and two registries, in processes of their own. */
export async function startBusyCluster(options: BusyClusterOptions): Promise<BusyCluster> {
  const { policies, resources, imageBytes } = options;
  const cluster = await startServer(options.program, ['--no-simulation', '--features', 'none']);
  const load = new Load(cluster, 16);
  const [source, target] = await Promise.all([startDockerRegistry(), startDockerRegistry()]);
  const json = (objects: readonly object[]) => objects.map((object) => JSON.stringify(object));
  await load.create(
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    json(customResourceDefinitions('supercargo')),
    4,
  );
  await load.create('/api/v1/namespaces', json(namespaces.map((name) => ({ metadata: { name } }))), 8);
  for (const [n, name] of namespaces.entries()) {
    const own = Array.from({ length: Math.ceil((resources - n) / namespaces.length) }, (_, i) => podOf(name, i));
    await load.create(`/api/v1/namespaces/${name}/pods`, json(own), 16);
  }
  // A definition is there before its objects are served.
  await sleep(1_000);
  await load.create(
    '/apis/kyverno.io/v1/clusterpolicies',
    json(
      policies.map(({ metadata: { name }, ...policy }) => ({
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        ...policy,
        metadata: { name },
      })),
    ),
    8,
  );
  const image = `${source.host}/bench/image:v1`;
  await pushImage(image, imageBytes, 6);
  return {
    work: (run) => ({
      kubeconfig: cluster.kubeconfig,
      image,
      targetHost: target.host,
      run,
    }),
    async clear() {
      for (const name of namespaces)
        await load.delete(`/apis/wgpolicyk8s.io/v1alpha2/namespaces/${name}/policyreports`);
    },
    async stop() {
      await load.close();
      await Promise.all([cluster.stop(), source.stop(), target.stop()]);
    },
  };
}
