import { isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { Scene, SceneContext } from './scene.ts';

const policies: ResourceType = {
  group: 'kyverno.io',
  version: 'v1',
  resource: 'clusterpolicies',
  kind: 'ClusterPolicy',
  namespaced: false,
};
const pods: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const match = { any: [{ resources: { kinds: ['Pod'], namespaces: ['default'], names: ['demo-*'] } }] };

const requireTag: KubeObject = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'require-image-tag' },
  spec: {
    validationFailureAction: 'Enforce',
    rules: [
      {
        name: 'require-image-tag',
        match,
        validate: { message: 'name a tag for each image', pattern: { spec: { containers: [{ image: '*:*' }] } } },
      },
    ],
  },
};

const addTeam: KubeObject = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'add-team' },
  spec: {
    rules: [
      { name: 'add-team', match, mutate: { patchStrategicMerge: { metadata: { labels: { '+(team)': 'unknown' } } } } },
    ],
  },
};

const pod = (name: string, image: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'app', image }] },
});

/** One pod is denied with a message, another is mutated. */
export const admissionScene: Scene = {
  title: 'Policies decide what is created',
  page: () => '/results?by=policy',
  needs: 'admission',
  async play(context) {
    for (const policy of [requireTag, addTeam]) await createOnce(context, policies, policy);
    await Promise.all([requireTag, addTeam].map((policy) => untilReady(context, policy.metadata.name!)));
    context.say('created clusterpolicy/require-image-tag and clusterpolicy/add-team; both are Ready');
    const refusal = await refusalOf(context, pod('demo-untagged', 'nginx'));
    context.say('creating pod/demo-untagged with the image nginx is refused:');
    for (const line of refusal.split('\n').filter((text) => text.trim() !== '')) context.say(`  ${line.trimEnd()}`);
    await createOnce(context, pods, pod('demo-tagged', 'nginx:1.29'));
    const created = await context.connection.client.get<KubeObject>(
      pods,
      { name: 'demo-tagged', namespace: 'default' },
      { signal: context.signal },
    );
    context.say(`pod/demo-tagged is created, with the label team=${created.metadata.labels?.['team']}`);
  },
};

async function createOnce({ connection, signal }: SceneContext, type: ResourceType, object: KubeObject): Promise<void> {
  try {
    await connection.client.create(type, object, { signal });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
  }
}

async function refusalOf({ connection, signal }: SceneContext, object: KubeObject): Promise<string> {
  try {
    await connection.client.create(pods, object, { signal });
  } catch (thrown) {
    if (!isKubeError(thrown)) throw thrown;
    // The client's text around the server's message is not shown.
    return thrown.message.replace(/^.*denied the request: /s, '').replace(/ \(\d+\)$/, '');
  }
  return 'it was not denied';
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Watches until the policy is Ready. */
async function untilReady({ connection: { client }, signal }: SceneContext, name: string): Promise<void> {
  const selection = { fieldSelector: `metadata.name=${name}`, signal };
  const isReady = (policy: KubeObject) =>
    ((policy['status'] ?? {}) as Status).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  const list = await client.list<KubeObject>(policies, selection);
  if (list.items.some(isReady)) return;
  for await (const event of client.watch<KubeObject>(policies, { ...selection, resourceVersion: list.resourceVersion }))
    if (event.type !== 'BOOKMARK' && isReady(event.object)) return;
}
