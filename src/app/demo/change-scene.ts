import type { ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { typeOfPolicy } from '../../runtime/index.ts';
import { createOnce, pod, pods, untilReady } from './cluster-steps.ts';
import type { Scene, SceneContext } from './scene.ts';

const jobs: ResourceType = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };
const apiVersion = 'policies.kyverno.io/v1';
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
  objectSelector: { matchLabels: { demo: 'change' } },
};

const expression = "Object{metadata: Object.metadata{labels: {'tag': image(object.spec.containers[0].image).tag()}}}";
const mutating: KubeObject = {
  apiVersion,
  kind: 'MutatingPolicy',
  metadata: { name: 'label-with-tag' },
  spec: {
    autogen: { podControllers: { controllers: [] } },
    matchConstraints,
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  },
};

const template = `apiVersion: batch/v1
kind: Job
metadata:
  name: check-(( object.metadata.name ))
  namespace: (( object.metadata.namespace ))
  labels: { demo: change }
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - { name: check, image: "busybox:1.36", args: ["check", "(( object.metadata.labels.tag ))"] }
`;
const generating: KubeObject = {
  apiVersion,
  kind: 'GeneratingPolicy',
  metadata: { name: 'check-pods' },
  spec: { matchConstraints, generate: [{ template: { value: template, interpolate: 'cel' } }] },
};

const name = 'demo-change';

/** A pod gets a label from its image by one policy; another one makes a Job from the pod as it then is. */
export const changeScene: Scene = {
  title: 'Policies in CEL change an object, and make another from it',
  needs: ['admission', 'generate'],
  async play(context) {
    const { say } = context;
    for (const policy of [mutating, generating]) {
      await createOnce(context, typeOfPolicy(policy), policy);
      await untilReady(context, typeOfPolicy(policy), policy.metadata.name as string);
    }
    say(`created mutatingpolicy/label-with-tag: ${expression}`);
    say('created generatingpolicy/check-pods: a template of a Job with (( object.metadata.labels.tag ))');
    const { metadata, ...rest } = pod(name, 'nginx:1.29');
    await createOnce(context, pods, { ...rest, metadata: { ...metadata, labels: { demo: 'change' } } });
    const { client } = context.connection;
    const changed = await client.get<KubeObject>(pods, { name, namespace: 'default' }, { signal: context.signal });
    say(`pod/${name} is created with nginx:1.29; now it has the label tag=${changed.metadata.labels?.['tag']}`);
    const job = await madeJob(context);
    const { template: made } = job['spec'] as { template: { spec: { containers: readonly { args: unknown }[] } } };
    say(
      `job/${job.metadata.name} was made for it, with the arguments ${JSON.stringify(made.spec.containers[0]?.args)}`,
    );
    return `/jobs?q=${job.metadata.name}`;
  },
};

async function madeJob({ connection: { client }, signal }: SceneContext): Promise<KubeObject> {
  const selection = { namespace: 'default', fieldSelector: `metadata.name=check-${name}`, signal };
  for (;;) {
    const { items, resourceVersion } = await client.list<KubeObject>(jobs, selection);
    if (items[0]) return items[0];
    for await (const event of client.watch<KubeObject>(jobs, { ...selection, resourceVersion }))
      if (event.type === 'ADDED') return event.object;
  }
}
