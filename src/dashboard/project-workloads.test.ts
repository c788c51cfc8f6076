import { expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { Cargo } from './cargo.ts';
import { compactTime, createInterner, timeText } from './fields.ts';
import { createCopyProjection } from './project-work.ts';
import { createPodProjection, createWorkloadProjection } from './project-workloads.ts';
import type { Sharing } from './sharing.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const image = 'r.example/team/web:1';

function projections() {
  const cargo = new Cargo(() => 1);
  const sharing: Sharing = {
    intern: createInterner(),
    name: (text) => cargo.images.sharedName(text),
    images: (images) => cargo.images.sharedImages(images),
    digest: (name, of) => cargo.images.sharedDigest(name, of),
    key: (kind, key) => cargo.sharedKey(kind, key),
  };
  return {
    cargo,
    workload: createWorkloadProjection('Deployment', sharing),
    pod: createPodProjection(sharing),
    sharing,
  };
}

const podOf = (name: string, { owner, statuses = [] }: { owner?: object; statuses?: readonly object[] } = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { 'pod-template-hash': '5d4' },
      ...(owner ? { ownerReferences: [{ apiVersion: 'apps/v1', uid: '1', controller: true, ...owner }] } : {}),
    },
    spec: { nodeName: 'node-1', containers: statuses.map((_, index) => ({ name: `c${index}`, image })) },
    status: {
      phase: 'Running',
      containerStatuses: statuses.map((status, index) => ({ name: `c${index}`, ...status })),
    },
  }) as unknown as KubeObject;

const running = (imageID: string) => ({ imageID, state: { running: {} } });

it('a pod says all that a node says of it, in little memory', () => {
  const { pod } = projections();
  const ids = [`r.example/team/web@${digest}`, `mirror.example/web@${digest}`, digest, 'docker://abc', ''];
  const waiting = { imageID: '', state: { waiting: { reason: 'ErrImagePull', message: 'no' } } };
  const fact = pod(podOf('web-5d4-x', { statuses: [...ids.map(running), waiting] }), 'shop/web-5d4-x');
  expect(fact.containers.map(({ imageId }) => imageId)).toEqual([...ids, '']);
  expect(fact.containers.map(({ state }) => state)).toEqual([...ids.map(() => 'running'), 'waiting']);
  expect(fact.containers.at(-1)).toEqual({ imageId: '', state: 'waiting', reason: 'ErrImagePull', message: 'no' });
  const one = pod(podOf('web-5d4-x', { statuses: [running(ids[0]!)] }), 'shop/web-5d4-x');
  expect(one.containers).toEqual([{ imageId: ids[0], state: 'running', reason: '', message: '' }]);
});

it('a pod knows its name and its owner, also one whose name the owner does not begin with', () => {
  const { pod } = projections();
  const factOf = (name: string, owner?: object) => pod(podOf(name, owner ? { owner } : {}), `shop/${name}`);
  const named = (fact: object) => {
    const { name, ownerKind, ownerName, deployment } = fact as Record<string, unknown>;
    return { name, ownerKind, ownerName, deployment };
  };
  expect(named(factOf('web-5d4-x', { kind: 'ReplicaSet', name: 'web-5d4' }))).toEqual({
    name: 'web-5d4-x',
    ownerKind: 'ReplicaSet',
    ownerName: 'web-5d4',
    deployment: 'web',
  });
  expect(named(factOf('x', { kind: 'Widget', name: 'other' }))).toEqual({
    name: 'x',
    ownerKind: 'Widget',
    ownerName: 'other',
    deployment: '',
  });
  expect(named(factOf('lone'))).toEqual({ name: 'lone', ownerKind: '', ownerName: '', deployment: '' });
});

it('keeps the images of a workload and its pods once, and the digest of a copy and its pods', () => {
  const { cargo, workload, pod, sharing } = projections();
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { template: { spec: { containers: [{ name: 'c0', image }] } } },
  } as unknown as KubeObject;
  const first = workload(deployment, 'shop/web');
  cargo.putWorkload('Deployment', 'shop/web', first);
  const statuses = [running(`r.example/team/web@${digest}`)];
  const second = pod(podOf('web-5d4-x', { statuses }), 'shop/web-5d4-x');
  expect(second.images).toBe(first.images);
  expect(second.images).toEqual([{ container: 'c0', image, source: image }]);
  cargo.putPod('shop/web-5d4-x', second);
  const copy = createCopyProjection(sharing)(
    {
      apiVersion: 'supercargo.dev/v1alpha1',
      kind: 'MirroredImage',
      metadata: { name: 'c', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { source: image, copy: 'backup.example/web:1' },
      status: { phase: 'Copying', digest, bytesTotal: 10, bytesCopied: 4, attempts: 2, checkedAt: 'soon' },
    } as never,
    'c',
  );
  expect(copy).toMatchObject({ name: 'c', source: image, digest, state: 'copying', bytesTotal: 10, bytesCopied: 4 });
  expect(copy).toMatchObject({ attempts: 2, createdAt: '2026-01-01T00:00:00Z', copiedAt: '', checkedAt: 'soon' });
});

it('keeps times and texts as they are', () => {
  const times = ['', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456Z', '2026-13-01T00:00:00Z', 'x', '1e3'];
  expect(times.map((time) => timeText(compactTime(time)))).toEqual(times);
  const intern = createInterner(2);
  const texts = ['', 'a', 'b', 'c', 'ü\u202e\ud800', 'x'.repeat(10_000)];
  for (let round = 0; round < 2; round++) expect(texts.map(intern)).toEqual(texts);
});
