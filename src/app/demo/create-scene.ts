import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ImageDetected, imageResourcePolicies, imagesDetected, resourceTemplates } from '../../api/index.ts';
import { createRegistryClient } from '../../registry/index.ts';
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

/** An image is pushed, detected, and committed as a manifest. */
export const createScene: Scene = {
  title: 'An image that is pushed becomes a manifest in Git',
  page: () => '/pipeline',
  needs: ['create'],
  async play(context) {
    if (!context.features.includes('detect')) return context.say('skipped: detection is switched off');
    const hasGit = await git('--version').catch(() => undefined);
    if (hasGit === undefined) return context.say('skipped: git is not installed on this machine');
    const dir = await mkdtemp(join(tmpdir(), 'supercargo-demo-git-'));
    const images = createRegistryClient();
    try {
      const repository = join(dir, 'manifests.git');
      await git('init', '--quiet', '--bare', '--initial-branch=main', repository);
      await pushDemoImage(images, `${context.registry}/webapp/frontend:dev-v1.0.0`);
      context.say(`pushed webapp/frontend:dev-v1.0.0 to the registry at ${context.registry}`);
      await createObjects(context, repository);
      const { spec, status } = await untilSettled(context);
      context.say(`imagedetected: ${spec.imageName} ${spec.imageTag}, prefix ${spec.tagPrefix}`);
      context.say(`${status?.phase}: ${status?.message}`);
      if (status?.resourceCreated) {
        context.say(`git log: ${await git('-C', repository, 'log', '-1', '--format=%h %an: %s', 'main')}`);
        const text = await git('-C', repository, 'show', `main:${status.files?.[0]}`);
        for (const line of text.split('\n').slice(-3)) context.say(`   ${line}`);
      }
    } finally {
      await removeObjects(context);
      await images.close();
      await rm(dir, { recursive: true, force: true });
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

/** Objects that point to a deleted registry and repository must not stay. */
async function removeObjects({ connection: { client } }: SceneContext): Promise<void> {
  const { items } = await client.list<ImageDetected>(imagesDetected, { namespace: metadata.namespace });
  const own = items.filter(({ spec }) => spec.sourcePolicy.name === metadata.name);
  await Promise.allSettled([
    client.delete(imageResourcePolicies, metadata),
    client.delete(resourceTemplates, metadata),
    ...own.map(({ metadata: { name = '', namespace } }) => client.delete(imagesDetected, { name, namespace })),
  ]);
}
