import { expect } from 'vitest';
import type { ImageDetected, ImageResourcePolicy } from '../../../src/api/index.ts';
import { createCreateFixture, deploymentTemplate } from '../../integration/create-fixture.ts';
import { localTarget } from '../../support/git-targets.ts';
import { pushImage } from '../../support/push-image.ts';
import { eventually } from '../../support/wait.ts';
import { type Right, rightsOfRule } from '../access.ts';
import { type Exercise, home, type Place } from '../exercise.ts';
import { eventsIn, toldTwice } from './webhooks.ts';

const group = 'automation.gitops.io';
const apiVersion = `${group}/v1beta1`;
const longAgo = '2020-01-01T00:00:00Z';
const at = (namespace: string, resource: string) => `/apis/${apiVersion}/namespaces/${namespace}/${resource}`;

/** Each namespace grants the Secrets that its policies and templates name. */
const secret: Right = { verb: 'get', group: '', resource: 'secrets', namespace: 'detect', name: 'registry' };

/** A detection whose time is over. */
async function expire({ create, http }: Place, namespace: string): Promise<void> {
  const path = at(namespace, 'imagedetecteds');
  await create(path, {
    apiVersion,
    kind: 'ImageDetected',
    metadata: { name: 'expired', labels: { 'supercargo.dev/owner': home } },
    spec: {
      imageName: 'old',
      imageTag: '1.0.0',
      imageDigest: `sha256:${'0'.repeat(64)}`,
      fullImageName: 'registry.example/old:1.0.0',
      sourcePolicy: { name: 'none', namespace },
      detectedAt: longAgo,
      ttlDays: 1,
    },
  });
  await eventually(async () => expect((await http.get(`${path}/expired`)).status).toBe(404));
}

const policy = (name: string, registry: string, more: object = {}) => ({
  apiVersion,
  kind: 'ImageResourcePolicy',
  metadata: { name },
  spec: {
    ociRepository: { registry, repositoryPattern: 'shop/*', ...more },
    policy: { semver: { range: '>=1.0.0' } },
    templateRef: { name: 'web' },
    interval: '1h',
  },
});

/** Changes something of no consequence until the same event has been told a second time. */
async function tellAgain(place: Place, { namespace, path, reason }: Record<'namespace' | 'path' | 'reason', string>) {
  await eventually(async () => expect(await eventsIn(place, namespace, reason)).toHaveLength(1));
  await place.http.patch(path, { spec: { interval: '2h' } }, 'merge');
  await toldTwice(place, namespace, reason);
}

/** Detects a push, finds a name taken, cannot scan another registry, and removes what has expired. */
export const detect: Exercise = {
  grants: [secret],
  async run(place) {
    const { create, http, images, registry } = place;
    await create('/api/v1/namespaces', { metadata: { name: 'detect' } });
    await create('/api/v1/namespaces/detect/secrets', {
      metadata: { name: 'registry' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': '{"auths":{}}' },
    });
    const digest = await pushImage(images, `${registry}/shop/web:1.0.0`);
    // A detection of an earlier policy of this name: the answer to a creation is then read.
    const taken = createCreateFixture(place.administrator, 'detect');
    const name = `shop-web-1-0-0-${digest.slice(7, 15)}`;
    await taken.detection(`${registry}/shop/web:1.0.0`, { policy: 'other', name });
    await create(at('detect', 'imageresourcepolicies'), policy('web', registry, { secretRef: { name: 'registry' } }));
    await eventually(async () => {
      const { body } = await http.get(at('detect', 'imageresourcepolicies/web'));
      expect((body as unknown as ImageResourcePolicy).status).toMatchObject({ detected: 1 });
    });
    await create(at('detect', 'imageresourcepolicies'), policy('broken', '127.0.0.1:1'));
    const path = at('detect', 'imageresourcepolicies/broken');
    await tellAgain(place, { namespace: 'detect', path, reason: 'ScanFailed' });
    await expire(place, 'detect');
  },
};

/** Commits a detection, though its status is written by others as well, and cannot commit another. */
export const create: Exercise = {
  config: () => ({ create: { allowLocalRepositories: true, allowLoopback: true, batchWindow: '10ms' } }),
  env: { PATH: process.env['PATH'] ?? '' },
  grants: [
    // What the dry run of a template needs.
    ...rightsOfRule({ apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch'] }),
  ],
  async run(place) {
    const { http } = place;
    await place.create('/api/v1/namespaces', { metadata: { name: 'create' } });
    const target = await localTarget();
    try {
      const fixture = createCreateFixture(place.administrator, 'create');
      await fixture.template('web', {
        template: deploymentTemplate,
        variables: { namespace: 'create' },
        gitRepository: { url: target.url },
        validation: { dryRun: true },
      });
      await fixture.policy('web', {});
      const status = { verb: 'patch', group, resource: 'imagedetecteds/status', namespace: 'create' };
      // Once as it begins, which is tried again, and once as it ends.
      place.before(status, () => {
        place.before(status, ({ name }) => touch(place, at('create', `imagedetecteds/${name}`)));
        return Promise.resolve();
      });
      await fixture.detection('registry.example/shop/web:1.0.0', { policy: 'web' });
      await eventually(async () => {
        const { body } = await http.get(at('create', 'imagedetecteds/shop-web-1-0-0'));
        expect((body as unknown as ImageDetected).status).toMatchObject({ phase: 'Completed' });
      });
      await fixture.policy('lost', { templateRef: { name: 'nowhere' } });
      await fixture.detection('registry.example/shop/lost:1.0.0', { policy: 'lost' });
      const path = at('create', 'imageresourcepolicies/lost');
      await tellAgain(place, { namespace: 'create', path, reason: 'TemplateNotFound' });
      await expire(place, 'create');
    } finally {
      await target.stop();
    }
  },
};

const touch = async ({ http }: Place, path: string) =>
  void (await http.patch(path, { metadata: { annotations: { touched: 'yes' } } }, 'merge'));
