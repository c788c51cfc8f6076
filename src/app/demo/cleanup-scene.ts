import type { ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { createOnce } from './cluster-steps.ts';
import type { Scene, SceneContext } from './scene.ts';

const policies: ResourceType = {
  group: 'policies.kyverno.io',
  version: 'v1',
  resource: 'deletingpolicies',
  kind: 'DeletingPolicy',
  namespaced: false,
};
const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

const name = 'demo-expired-previews';
const expression = 'timestamp(object.data.expires) < time.now()';
const policy: KubeObject = {
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'DeletingPolicy',
  metadata: { name },
  spec: {
    schedule: '@every 1s',
    matchConstraints: {
      objectSelector: { matchLabels: { demo: 'preview' } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    },
    conditions: [{ name: 'expired', expression }],
  },
};

const preview = (which: string, expires: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: which, namespace: 'default', labels: { demo: 'preview' } },
  data: { expires },
});

/** Of two objects, a policy deletes the one that its condition is true of. */
export const cleanupScene: Scene = {
  title: 'What is no longer needed is deleted by a schedule',
  needs: ['cleanup'],
  async play(context) {
    await createOnce(context, configMaps, preview('preview-old', '2020-01-01T00:00:00Z'));
    await createOnce(context, configMaps, preview('preview-new', '2099-01-01T00:00:00Z'));
    await createOnce(context, policies, policy);
    // In a folder that is kept, the last demo has left it at its nightly one.
    await setSchedule(context, '@every 1s');
    context.say(`created configmap/preview-old, configmap/preview-new and deletingpolicy/${name}`);
    await untilGone(context, 'preview-old');
    context.say('configmap/preview-old was deleted, configmap/preview-new is kept: its condition is not true of it');
    await setSchedule(context, '0 3 * * *');
    context.say(`its schedule is now 0 3 * * *: ${context.program} kubectl get deletingpolicies -o wide`);
    return '/?q=preview-old';
  },
};

async function setSchedule({ connection: { client }, signal }: SceneContext, schedule: string): Promise<void> {
  await client.patch(policies, { name }, { type: 'merge', body: { spec: { schedule } } }, { signal });
}

async function untilGone({ connection: { client }, signal }: SceneContext, which: string): Promise<void> {
  const selection = { namespace: 'default', fieldSelector: `metadata.name=${which}`, signal };
  for (;;) {
    const { items, resourceVersion } = await client.list<KubeObject>(configMaps, selection);
    if (items.length === 0) return;
    for await (const event of client.watch<KubeObject>(configMaps, { ...selection, resourceVersion }))
      if (event.type === 'DELETED') return;
  }
}
