import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ImageDetected, imageResourcePolicies, imagesDetected, resourceTemplates } from '../../api/index.ts';
import { parseYaml } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { createRegistryClient } from '../../registry/index.ts';
import { deployments } from './cluster-steps.ts';
import { pushDemoImage } from './demo-image.ts';
import type { Scene, SceneContext } from './scene.ts';

const apiVersion = 'automation.gitops.io/v1beta1';
const metadata = { name: 'demo-webapp', namespace: 'default' };

const template = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .ServiceName }}-{{ .TagPrefix }}
spec:
  selector: { matchLabels: { app: {{ .ServiceName }}-{{ .TagPrefix }} } }
  template:
    metadata: { labels: { app: {{ .ServiceName }}-{{ .TagPrefix }} } }
    spec:
      containers:
        - name: {{ .ServiceName }}
          image: {{ .FullImageName }}
`;

const git = async (...args: string[]) => (await promisify(execFile)('git', args)).stdout.trim();

/** An image is pushed, detected, committed as a manifest, and runs. */
export const createScene: Scene = {
  title: 'An image that is pushed becomes a manifest in Git',
  needs: ['create'],
  async play(context) {
    const hasGit = await git('--version').catch(() => undefined);
    if (!context.features.includes('detect') || hasGit === undefined) {
      const reason = hasGit === undefined ? 'git is not installed on this machine' : 'detection is switched off';
      context.say(`skipped: ${reason}`);
      return undefined;
    }
    const images = createRegistryClient();
    try {
      // It stays: the policy and the template go on with the next tag that is pushed.
      const repository = join(context.folder, 'manifests.git');
      await git('init', '--quiet', '--bare', '--initial-branch=main', repository);
      const image = `${context.registry}/webapp/frontend:dev-v1.0.0`;
      await pushDemoImage(images, image);
      context.say(`pushed webapp/frontend:dev-v1.0.0 to the registry at ${context.registry}`);
      await createObjects(context, repository);
      const { spec, status } = await untilSettled(context);
      context.say(`imagedetected: ${spec.imageName} ${spec.imageTag}, prefix ${spec.tagPrefix}`);
      context.say(`${status?.phase}: ${status?.message}`);
      if (status?.resourceCreated) {
        context.say(`git log: ${await git('-C', repository, 'log', '-1', '--format=%h %an: %s', 'main')}`);
        const text = await git('-C', repository, 'show', `main:${status.files?.[0]}`);
        for (const line of text.split('\n').slice(-3)) context.say(`   ${line}`);
        const { metadata: made } = await applyManifest(context, text);
        context.say(`applied it, as Flux or Argo CD would: deployment/${made.name} runs the image`);
      }
      context.say(`the repository is ${repository}; push another tag that matches, such as dev-v1.1.0`);
      return `/images/${image}`;
    } finally {
      await images.close();
    }
  },
};

async function createObjects({ connection: { client }, registry, signal }: SceneContext, url: string): Promise<void> {
  await client.apply(
    resourceTemplates,
    {
      apiVersion,
      kind: 'ResourceTemplate',
      metadata,
      spec: { template, gitRepository: { url, path: 'applications', branch: 'main' } },
    },
    { fieldManager: 'demo', force: true, signal },
  );
  const pattern = { regex: '^(dev|staging|prod)-v\\d+\\.\\d+\\.\\d+$', extractPrefix: true };
  const spec = {
    ociRepository: { registry, repositoryPattern: 'webapp/*' },
    policy: { pattern },
    templateRef: { name: metadata.name },
  };
  const policy = { apiVersion, kind: 'ImageResourcePolicy', metadata, spec };
  await client.apply(imageResourcePolicies, policy, { fieldManager: 'demo', force: true, signal });
}

/** Watches until the detection is settled; no fixed waits. */
async function untilSettled({ connection: { client }, signal }: SceneContext): Promise<ImageDetected> {
  const selection = { namespace: metadata.namespace, signal };
  const isSettled = ({ spec, status }: ImageDetected) =>
    spec.sourcePolicy.name === metadata.name && (status?.phase === 'Completed' || status?.phase === 'Failed');
  const { items, resourceVersion } = await client.list<ImageDetected>(imagesDetected, selection);
  const there = items.find(isSettled);
  if (there) return there;
  for await (const event of client.watch<ImageDetected>(imagesDetected, { ...selection, resourceVersion }))
    if ((event.type === 'ADDED' || event.type === 'MODIFIED') && isSettled(event.object)) return event.object;
  throw new Error('the watch ended before the detection was settled');
}

async function applyManifest({ connection: { client }, signal }: SceneContext, text: string): Promise<KubeObject> {
  const object = parseYaml(text) as unknown as KubeObject;
  const { name = '' } = object.metadata;
  return client.apply<KubeObject>(
    deployments,
    { ...object, metadata: { ...object.metadata, name, namespace: metadata.namespace } },
    { fieldManager: 'demo', force: true, signal },
  );
}
