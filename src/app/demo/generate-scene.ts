import { isKubeError, type ResourceType } from '../../kube/index.ts';
import { type KubeObject, renderApiVersion } from '../../object/index.ts';
import { policyTypes } from '../../runtime/index.ts';
import type { Scene, SceneContext } from './scene.ts';

const pods: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const jobs: ResourceType = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };
const image = 'nginx:1.21';
const labelSelector = 'demo=one-job-per-image';

/** A short form of the shipped example. */
const policy: KubeObject = {
  apiVersion: renderApiVersion(policyTypes.clusterPolicy),
  kind: 'ClusterPolicy',
  metadata: { name: 'demo-one-job-per-image' },
  spec: {
    rules: [
      {
        name: 'job-for-image',
        match: { any: [{ resources: { kinds: ['Pod'], selector: { matchLabels: { demo: 'one-job-per-image' } } } }] },
        generate: {
          synchronize: false,
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: 'img-{{ sha256(request.object.spec.containers[0].image) | truncate(@, `8`) }}',
          namespace: '{{ request.object.metadata.namespace }}',
          data: {
            metadata: {
              labels: { demo: 'one-job-per-image' },
              annotations: { 'kyverno.io/source-image': '{{ request.object.spec.containers[0].image }}' },
            },
            spec: {
              ttlSecondsAfterFinished: 300,
              template: { spec: { restartPolicy: 'Never', containers: [{ name: 'analyze', image: 'busybox:1.36' }] } },
            },
          },
        },
      },
    ],
  },
};

/** Three pods with one image generate one Job. */
export const generateScene: Scene = {
  title: 'One Job per image',
  needs: ['generate'],
  async play(context) {
    await create(context, policyTypes.clusterPolicy, policy);
    context.say('created clusterpolicy/demo-one-job-per-image');
    for (const name of ['shop-a', 'shop-b', 'shop-c']) {
      const metadata = { name, namespace: 'default', labels: { demo: 'one-job-per-image' } };
      const spec = { containers: [{ name: 'web', image }] };
      await create(context, pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
      context.say(`created pod/${name} with ${image}`);
    }
    const job = await firstJob(context);
    const { client } = context.connection;
    const { items } = await client.list(jobs, { namespace: 'default', labelSelector, signal: context.signal });
    context.say(`job/${job.metadata.name} was made for ${image}: ${items.length} Job for 3 pods`);
    return `/jobs?q=${job.metadata.name}`;
  },
};

async function create(
  { connection: { client }, signal }: SceneContext,
  type: ResourceType,
  object: KubeObject,
): Promise<void> {
  try {
    await client.create(type, object, { signal });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
  }
}

async function firstJob({ connection: { client }, signal }: SceneContext): Promise<KubeObject> {
  const selection = { namespace: 'default', labelSelector, signal };
  for (;;) {
    const { items, resourceVersion } = await client.list<KubeObject>(jobs, selection);
    if (items[0]) return items[0];
    for await (const event of client.watch<KubeObject>(jobs, { ...selection, resourceVersion }))
      if (event.type === 'ADDED') return event.object;
  }
}
