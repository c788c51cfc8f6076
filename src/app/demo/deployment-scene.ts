import { isKubeError } from '../../kube/index.ts';
import { type KubeObject, renderApiVersion } from '../../object/index.ts';
import { deployments } from './cluster-steps.ts';
import type { Scene, SceneContext } from './scene.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const labels = { app: 'hello' };

const hello: KubeObject = {
  apiVersion: renderApiVersion(deployments),
  kind: deployments.kind,
  metadata: { name: 'hello', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] } },
  },
};

interface PodStatus {
  readonly phase?: string;
}

/** A Deployment becomes running pods. */
export const deploymentScene: Scene = {
  title: 'A Deployment runs',
  async play(context) {
    const { client } = context.connection;
    try {
      await client.create(deployments, hello, { signal: context.signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
    }
    context.say('created deployment/hello with 3 replicas of nginx:1.29');
    const running = await untilRunning(context, 3);
    for (const { metadata } of running)
      context.say(`pod/${metadata.name} is Running (simulated: no container is started)`);
    return '/images/docker.io/library/nginx:1.29';
  },
};

/** Watches until this many pods run; no fixed waits. */
async function untilRunning(
  { connection: { client }, signal }: SceneContext,
  count: number,
): Promise<readonly KubeObject[]> {
  const selection = { namespace: 'default', labelSelector: 'app=hello', signal };
  const list = await client.list(pods, selection);
  const seen = new Map(list.items.map((pod) => [pod.metadata.name, pod]));
  const running = () =>
    [...seen.values()].filter((pod) => (pod['status'] as PodStatus | undefined)?.phase === 'Running');
  if (running().length >= count) return running();
  for await (const event of client.watch(pods, { ...selection, resourceVersion: list.resourceVersion })) {
    if (event.type === 'BOOKMARK') continue;
    if (event.type === 'DELETED') seen.delete(event.object.metadata.name);
    else seen.set(event.object.metadata.name, event.object);
    if (running().length >= count) break;
  }
  return running();
}
