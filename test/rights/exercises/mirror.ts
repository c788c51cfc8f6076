import { expect } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import { createRegistryClient, staticSource } from '../../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../../src/registryserver/index.ts';
import { enabled, imagesOf, type PodOptions, workload } from '../../integration/mirror-fixture.ts';
import { pushImage } from '../../support/push-image.ts';
import { eventually } from '../../support/wait.ts';
import type { Exercise, Place } from '../exercise.ts';
import { contestCertificate, delayNamespaces, eventsIn, leaveStrays, toldTwice } from './webhooks.ts';

export const mirroredNamespace = 'mirrored';
const images = '/apis/supercargo.dev/v1alpha1/mirroredimages';
const login = { username: 'puller', password: 'secret' };
const rewritten = ['Deployment', 'DaemonSet', 'StatefulSet', 'CronJob'];

const pathOf = (kind: string, namespace = mirroredNamespace) => {
  const group = kind === 'Pod' ? 'api/v1' : kind.endsWith('Job') ? 'apis/batch/v1' : 'apis/apps/v1';
  return `/${group}/namespaces/${namespace}/${kind.toLowerCase()}s`;
};

/** Copies an image of a registry with a login for workloads of all kinds, and one that is not there. */
export function createMirror(): Exercise {
  let source: RegistryServer | undefined;
  let release = () => {};
  const image = () => `${source?.host}/shop/app:1`;
  const add = ({ create }: Place, kind: string, name: string, from: string, options: PodOptions = {}) =>
    create(pathOf(kind), workload(kind, mirroredNamespace, name, from, options));
  const isCopied = ({ http, registry }: Place, kind: string, name: string, namespace = mirroredNamespace) =>
    eventually(async () => {
      const { body } = await http.get(`${pathOf(kind, namespace)}/${name}`);
      expect(imagesOf(body as unknown as KubeObject)[0]).toMatch(`${registry}/copies/`);
    });
  return {
    config: ({ registry }, session) => ({
      mirror: {
        registry: `${registry}/copies`,
        wait: '15s',
        timeoutSeconds: 30,
        trustReviews: true,
        recheck: '1s',
        keepUnused: '1s',
        rewrite: session === 'first' ? 'workloads' : 'pods',
      },
    }),
    async prepare(place) {
      contestCertificate(place);
      release = delayNamespaces(place);
      const { username, password } = login;
      source = await startRegistryServer({ users: { [username]: password } });
      const client = createRegistryClient({ credentials: staticSource(source.host, username, password, 'the test') });
      await pushImage(client, image());
      await client.close();
      const inNamespace = `/api/v1/namespaces/${mirroredNamespace}`;
      const auth = Buffer.from(`${username}:${password}`).toString('base64');
      await place.create(`${inNamespace}/secrets`, {
        metadata: { name: 'pull' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [source.host]: { auth } } }) },
      });
      await place.create(`${inNamespace}/serviceaccounts`, {
        metadata: { name: 'puller' },
        imagePullSecrets: [{ name: 'pull' }],
      });
      for (const kind of [...rewritten, 'Job']) await add(place, kind, 'before', image(), { serviceAccount: 'puller' });
    },
    async run(place) {
      const { create, http, registry } = place;
      for (const kind of rewritten) await isCopied(place, kind, 'before');
      if (!place.features.includes('admission'))
        await leaveStrays(place, {
          mutating: ['policies-mutate', 'probe-admission'],
          validating: ['policies-validate', 'policy-check', 'policies-generate'],
        });
      await add(place, 'Deployment', 'again', image(), { secrets: ['pull'] });
      await isCopied(place, 'Deployment', 'again');

      await pushImage(place.images, `${registry}/shop/late:1`);
      await create('/api/v1/namespaces', { metadata: { name: 'late', labels: enabled } });
      const late = workload('Deployment', 'late', 'late', `${registry}/shop/late:1`);
      await create(pathOf('Deployment', 'late'), late);
      await isCopied(place, 'Deployment', 'late', 'late');
      release();

      await add(place, 'Deployment', 'broken', `${registry}/shop/nothing:1`);
      await eventually(async () => expect(await eventsIn(place, 'default', 'CopyFailed')).toHaveLength(1));
      const { items } = (await http.get(images)).body;
      const { metadata } = items.find(({ spec }) => spec['source'] === `${registry}/shop/nothing:1`)!;
      const record = `${images}/${metadata.name}`;
      // It is tried again with other credentials.
      await add(place, 'Deployment', 'broken-too', `${registry}/shop/nothing:1`, { secrets: ['pull'] });
      await toldTwice(place, 'default', 'CopyFailed');
      for (const name of ['broken', 'broken-too']) await http.delete(`${pathOf('Deployment')}/${name}`);
      await eventually(async () => {
        await http.patch(record, { spec: { follow: Math.random() < 0.5 } }, 'merge');
        expect((await http.get(record)).status).toBe(404);
      });
    },
    async again(place) {
      await add(place, 'Pod', 'alone', image(), { serviceAccount: 'puller' });
      await isCopied(place, 'Pod', 'alone');
    },
    end: () => source?.stop(),
  };
}
