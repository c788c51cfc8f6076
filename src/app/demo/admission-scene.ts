import type { ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { createOnce, pod, pods, refusalOf, untilReady } from './cluster-steps.ts';
import type { Scene } from './scene.ts';

const policies: ResourceType = {
  group: 'kyverno.io',
  version: 'v1',
  resource: 'clusterpolicies',
  kind: 'ClusterPolicy',
  namespaced: false,
};
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

/** One pod is denied with a message, another is mutated. */
export const admissionScene: Scene = {
  title: 'Policies decide what is created',
  needs: ['admission'],
  async play(context) {
    for (const policy of [requireTag, addTeam]) await createOnce(context, policies, policy);
    await Promise.all([requireTag, addTeam].map((policy) => untilReady(context, policies, policy.metadata.name!)));
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
    // Of a pod that was refused there is but an event.
    return '/?q=demo-untagged';
  },
};
