import { expect, it } from 'vitest';
import type { ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { findClusterImages } from './cluster-images.ts';

const pod = (name: string, images: readonly string[], metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { containers: images.map((image, i) => ({ name: `c${i}`, image })) },
});

it('finds every image once, by its source, and no copies', async () => {
  const note = { 'supercargo.dev/source-images': '{"c0":{"from":"redis:7","to":"backup.example/copies/redis:7"}}' };
  const owned = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'X', name: 'x', uid: '1', controller: true }] };
  const pods = [
    pod('a', ['nginx', 'nginx:latest', 'quay.io/x/y:1']),
    pod('b', ['backup.example/copies/redis:7'], { annotations: note }),
    pod('c', ['backup.example/copies/unknown:7', 'No Image']),
    pod('d', ['owned:1'], owned),
  ];
  const requests: (string | undefined)[] = [];
  const client = {
    async *pages(type: ResourceType, { namespace }: { readonly namespace?: string | undefined } = {}) {
      if (type.kind === 'Pod') requests.push(namespace);
      yield { items: type.kind === 'Pod' ? pods : [], resourceVersion: '1' } as never;
    },
  };
  const { signal } = new AbortController();
  const found = await findClusterImages({ client, to: 'backup.example/copies', signal });
  expect(found.images).toEqual(['docker.io/library/nginx:latest', 'docker.io/library/redis:7', 'quay.io/x/y:1']);
  expect(found.passedOver.map(({ image }) => image)).toEqual(['No Image']);
  await findClusterImages({ client, to: 'backup.example/copies', namespaces: ['one', 'two'], signal });
  expect(requests).toEqual([undefined, 'one', 'two']);
});
