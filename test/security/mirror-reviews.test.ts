import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { configurationTypes } from '../../src/webhook/index.ts';
import { createMirrorFixture, type MirrorFixture, workload } from '../integration/mirror-fixture.ts';
import { createMirrorSession, patience } from '../integration/mirror-session.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';

describe('reviews that the API server did not send', () => {
  let fixture: MirrorFixture;
  const session = createMirrorSession(() => fixture);
  beforeAll(async () => {
    fixture = await createMirrorFixture(() => startEmbedded());
    await fixture.run({ trustReviews: false, maxImagesPerNamespace: 3 });
  }, 60_000);
  afterAll(() => fixture?.stop());

  it('create no MirroredImage and send no request to a source registry', async () => {
    const namespace = await fixture.namespace('victim');
    await fixture.push('secret/app:1');
    const { items } = await fixture.connection.client.list<KubeObject>(configurationTypes.mutating);
    const registered = items.find(({ metadata }) => metadata.name === 'supercargo-rewrite')!;
    const [webhook] = registered['webhooks'] as readonly {
      readonly clientConfig: { readonly url: string; readonly caBundle: string };
    }[];
    const { url, caBundle } = webhook!.clientConfig;
    const caPem = Buffer.from(caBundle, 'base64').toString();
    const attacker = createHttpClient({ url: new URL(url).origin, caPem, token: '' });
    const before = fixture.source.seen.length;
    try {
      for (let i = 0; i < 30; i++) {
        const image = session.at(i === 0 ? 'secret/app:1' : `secret/app:forged-${i}`);
        const request = {
          uid: `forged-${i}`,
          kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
          resource: { group: 'apps', version: 'v1', resource: 'deployments' },
          name: 'forged',
          namespace,
          operation: 'CREATE',
          object: workload('Deployment', namespace, 'forged', image, { secrets: ['pull-secret'] }),
        };
        const paths = ['/mirror', '/imageclone-v1-deployment', '/imageclone-v1-daemonset'];
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
        const { status, text } = await attacker.post(paths[i % 3]!, review);
        expect(status).toBe(200);
        expect(JSON.parse(text).response).not.toHaveProperty('patch');
      }
    } finally {
      await attacker.close();
    }
    // What a real workload asks for later passes the same queue: after it, nothing of the above can be under way.
    await fixture.push('real/app:1');
    await fixture.create(workload('Deployment', namespace, 'real', session.at('real/app:1')));
    await eventually(
      async () =>
        expect(await session.imagesNow('Deployment', namespace, 'real')).toEqual([session.copyOf('real/app:1')]),
      patience,
    );
    expect((await fixture.copies()).map(({ spec }) => spec.source)).toEqual([session.at('real/app:1')]);
    expect(fixture.source.seen.slice(before).filter(({ url }) => url.includes('secret/app'))).toEqual([]);
  });

  it('are not needed: workloads of one namespace have at most so many images recorded, and others none the less', async () => {
    const greedy = await fixture.namespace('greedy');
    for (let i = 0; i < 8; i++)
      await fixture.create(workload('Deployment', greedy, `w${i}`, session.at(`greedy/app:${i}`)));
    const neighbour = await fixture.namespace('neighbour');
    await fixture.push('neighbour/app:1');
    await fixture.create(workload('Deployment', neighbour, 'web', session.at('neighbour/app:1')));
    await eventually(
      async () =>
        expect(await session.imagesNow('Deployment', neighbour, 'web')).toEqual([session.copyOf('neighbour/app:1')]),
      patience,
    );
    const ofGreedy = (await fixture.copies()).filter(({ spec }) => spec.source.includes('/greedy/'));
    expect(ofGreedy).toHaveLength(3);
    expect(fixture.logged()).toContain('mirror.maxImagesPerNamespace');
  });
});

describe('mode sync', () => {
  it('does not start where anybody could start copies by a review', async () => {
    const fixture = await createMirrorFixture(() => startEmbedded());
    try {
      await expect(fixture.run({ trustReviews: false, mode: 'sync' })).rejects.toThrow('webhook.clientCA');
    } finally {
      await fixture.stop();
    }
  }, 30_000);
});
