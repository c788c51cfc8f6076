import { digestOf, mediaTypes, type Tag } from '../../image/index.ts';
import { isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { createRegistryClient, type RegistryClient } from '../../registry/index.ts';
import { deployments } from './cluster-steps.ts';
import type { Scene, SceneContext } from './scene.ts';

const namespaces = { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false };
const namespace = 'cloned';
const labels = { app: 'shop' };

/** An image is pushed, a Deployment names it and runs its copy. */
export const mirrorScene: Scene = {
  title: 'An image is cloned, and a Deployment runs the copy',
  needs: ['mirror'],
  async play(context) {
    const { registry, say } = context;
    const image = `${registry}/team/shop:1.0`;
    await push(registry, 'team/shop', '1.0' as Tag, context.signal);
    say(`pushed ${image} to the embedded registry`);
    await create(context, namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'image-clone-controller': 'enabled' } },
    });
    await create(context, deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'shop', namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
      },
    });
    say(`created deployment/shop with it, in namespace/${namespace}, which is labelled image-clone-controller=enabled`);
    say(`it runs ${await untilReplaced(context, image)}`);
    say(`${context.program} kubectl get mirroredimages shows every copy`);
    return `/images/${image}`;
  },
};

async function create({ connection, signal }: SceneContext, type: ResourceType, object: KubeObject): Promise<void> {
  try {
    await connection.client.create(type, object, { signal });
  } catch (thrown) {
    // The demo may have run on this cluster before.
    if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
  }
}

async function push(registry: string, path: string, tag: Tag, signal: AbortSignal): Promise<void> {
  const client = createRegistryClient();
  try {
    const repository = { registry, path };
    const config = await upload(client, repository, JSON.stringify({ os: 'linux', architecture: 'amd64' }), signal);
    const layer = await upload(client, repository, 'the shop', signal);
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: mediaTypes.ociManifest,
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
        layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
      }),
    );
    const head = { bytes: manifest, mediaType: mediaTypes.ociManifest, digest: digestOf(manifest) };
    await client.putManifest(repository, tag, head, signal);
  } finally {
    await client.close();
  }
}

async function upload(
  client: RegistryClient,
  repository: { readonly registry: string; readonly path: string },
  text: string,
  signal: AbortSignal,
) {
  const bytes = Buffer.from(text);
  const [digest, size] = [digestOf(bytes), bytes.length];
  await client.uploadBlob({
    repository,
    digest,
    size,
    signal,
    read: async function* (offset) {
      yield bytes.subarray(offset);
    },
  });
  return { digest, size };
}

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
}
const imageOf = (object: KubeObject) => (object['spec'] as PodTemplate).template.spec.containers[0]!.image;

async function untilReplaced({ connection: { client }, signal }: SceneContext, image: string): Promise<string> {
  const selection = { namespace, fieldSelector: 'metadata.name=shop', signal };
  const list = await client.list(deployments, selection);
  for (const object of list.items) if (imageOf(object) !== image) return imageOf(object);
  for await (const event of client.watch(deployments, { ...selection, resourceVersion: list.resourceVersion }))
    if (event.type === 'MODIFIED' && imageOf(event.object) !== image) return imageOf(event.object);
  return image;
}
