import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { eventually } from '../support/wait.ts';
import { namespaces } from './connection.ts';
import { enabled, imagesOf, types, workload } from './mirror-fixture.ts';
import { annotation, type MirrorSession, patience } from './mirror-session.ts';

/** The clone of images as it is set by default. */
export function defineDefaults(session: MirrorSession): void {
  const { at, copyOf, hostPart, imagesNow, recordOf } = session;
  describe('as it is set by default', () => {
    beforeAll(() => session.fixture.run(), 60_000);

    it.each(['Deployment', 'DaemonSet', 'StatefulSet', 'Job', 'CronJob'])(
      'replaces the images of a %s as it is admitted, init containers too, and notes the originals',
      async (kind) => {
        const namespace = await session.fixture.namespace(`kind-${kind.toLowerCase()}`);
        await session.fixture.push(`team/${kind.toLowerCase()}:1`);
        await session.fixture.push('team/init:2');
        const object = workload(kind, namespace, 'web', at(`team/${kind.toLowerCase()}:1`), {
          init: at('team/init:2'),
        });
        const created = await session.fixture.create(object);
        const expected = [copyOf('team/init:2'), copyOf(`team/${kind.toLowerCase()}:1`)];
        expect(imagesOf(created)).toEqual(expected);
        expect(JSON.parse(created.metadata.annotations?.[annotation] ?? '')).toEqual({
          init: { from: at('team/init:2'), to: expected[0] },
          main: { from: at(`team/${kind.toLowerCase()}:1`), to: expected[1] },
        });
        for (const image of expected) expect(await session.fixture.missing(image)).toEqual([]);
      },
      30_000,
    );

    it('copies what is named by digest by that digest, under a tag that nothing else has', async () => {
      const namespace = await session.fixture.namespace('digests');
      const old = await session.fixture.push('team/pinned:1', 'old');
      const now = await session.fixture.push('team/pinned:1', 'new');
      const byTag = await session.fixture.create(workload('Deployment', namespace, 'tag', at('team/pinned:1')));
      const both = await session.fixture.create(workload('Deployment', namespace, 'both', at(`team/pinned:1@${old}`)));
      const alone = await session.fixture.create(workload('Deployment', namespace, 'alone', at(`team/pinned@${old}`)));
      expect(imagesOf(byTag)).toEqual([copyOf('team/pinned:1')]);
      expect(imagesOf(both)).toEqual([copyOf(`team/pinned:1@${old}`)]);
      expect(imagesOf(alone)).toEqual([copyOf(`team/pinned@${old}`)]);
      for (const object of [byTag, both, alone])
        expect(await session.fixture.missing(imagesOf(object)[0]!)).toEqual([]);
      expect((await recordOf(at('team/pinned:1')))?.status?.digest).toBe(now);
      const tags: string[] = [];
      const repository = { registry: session.fixture.backup.host, path: `copies/${hostPart()}/team/pinned` };
      for await (const page of session.fixture.images.listTags(repository)) tags.push(...page);
      expect(tags.sort()).toEqual(['1', `copy-sha256-${old.slice(7)}`]);
    }, 240_000);

    it('leaves alone what is in the backup registry, and changes nothing when it is asked again', async () => {
      const namespace = await session.fixture.namespace('again');
      await session.fixture.push('team/again:1');
      const own = await session.fixture.create(
        workload('Deployment', namespace, 'own', `${session.fixture.backup.host}/copies/mine:1`),
      );
      expect(imagesOf(own)).toEqual([`${session.fixture.backup.host}/copies/mine:1`]);
      expect(own.metadata.annotations?.[annotation]).toBeUndefined();
      const first = await session.fixture.create(workload('Deployment', namespace, 'web', at('team/again:1')));
      // Controllers write to it as well: whoever comes second reads again.
      const replaced = await eventually(async () =>
        session.fixture.connection.client.replace(
          types['Deployment']!,
          await session.fixture.get('Deployment', namespace, 'web'),
        ),
      );
      expect(replaced.metadata.generation).toBe(first.metadata.generation);
      expect(imagesOf(replaced)).toEqual(imagesOf(first));
      // The manifest as its author has it, applied once more.
      const again = await session.fixture.connection.client.patch<KubeObject>(
        types['Deployment']!,
        { namespace, name: 'web' },
        {
          type: 'strategic',
          body: { spec: { template: { spec: { containers: [{ name: 'main', image: at('team/again:1') }] } } } },
        },
      );
      expect(again.metadata.generation).toBe(first.metadata.generation);
      await session.fixture.push('team/again:2');
      const updated = await session.fixture.connection.client.patch<KubeObject>(
        types['Deployment']!,
        { namespace, name: 'web' },
        {
          type: 'strategic',
          body: { spec: { template: { spec: { containers: [{ name: 'main', image: at('team/again:2') }] } } } },
        },
      );
      expect(imagesOf(updated)).toEqual([copyOf('team/again:2')]);
      expect(JSON.parse(updated.metadata.annotations?.[annotation] ?? '')).toEqual({
        main: { from: at('team/again:2'), to: copyOf('team/again:2') },
      });
    }, 240_000);

    it('touches no namespace without the label, nor kube-system, nor its own', async () => {
      await session.fixture.push('team/quiet:1');
      await session.fixture.namespace('unlabelled', {});
      await session.fixture.connection.client.patch(
        namespaces,
        { name: 'kube-system' },
        { type: 'merge', body: { metadata: { labels: enabled } } },
      );
      for (const namespace of ['unlabelled', 'kube-system', 'supercargo-system'])
        expect(
          imagesOf(await session.fixture.create(workload('Deployment', namespace, 'quiet', at('team/quiet:1')))),
        ).toEqual([at('team/quiet:1')]);
      // One that is looked at comes after them: by then they would have been noticed.
      const namespace = await session.fixture.namespace('noticed');
      await session.fixture.push('team/noticed:1');
      await session.fixture.create(workload('Deployment', namespace, 'noticed', at('team/noticed:1')));
      expect(await recordOf(at('team/quiet:1'))).toBeUndefined();
      // The label makes the difference, also for what is there already.
      await session.fixture.connection.client.patch(
        namespaces,
        { name: 'unlabelled' },
        { type: 'merge', body: { metadata: { labels: enabled } } },
      );
      await eventually(async () =>
        expect(await imagesNow('Deployment', 'unlabelled', 'quiet')).toEqual([copyOf('team/quiet:1')]),
      );
    }, 240_000);

    it('answers a dry run as it would answer the request, and copies nothing for it', async () => {
      const namespace = await session.fixture.namespace('dry');
      await session.fixture.push('team/dry:1');
      const object = workload('Deployment', namespace, 'web', at('team/dry:1'));
      expect(imagesOf(await session.fixture.create(object, { dryRun: true }))).toEqual([at('team/dry:1')]);
      expect(await recordOf(at('team/dry:1'))).toBeUndefined();
      await session.fixture.create(object);
      const other = workload('Deployment', namespace, 'other', at('team/dry:1'));
      expect(imagesOf(await session.fixture.create(other, { dryRun: true }))).toEqual([copyOf('team/dry:1')]);
    });

    it('rewrites no ReplicaSet and no Pod of a Deployment', async () => {
      const namespace = await session.fixture.namespace('owned');
      await session.fixture.push('team/owned:1');
      await session.fixture.create(workload('Deployment', namespace, 'web', at('team/owned:1')));
      const replicaSets = async () =>
        (await session.fixture.connection.client.list<KubeObject>(types['ReplicaSet']!, { namespace })).items;
      await eventually(async () => expect(await replicaSets()).toHaveLength(1), patience);
      expect(imagesOf((await replicaSets())[0]!)).toEqual([copyOf('team/owned:1')]);
      const owner = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        uid: (await session.fixture.get('Deployment', namespace, 'web')).metadata.uid!,
        controller: true,
      };
      const owned = workload('StatefulSet', namespace, 'owned', at('team/owned:1'));
      const created = await session.fixture.create({
        ...owned,
        metadata: { ...owned.metadata, ownerReferences: [owner] },
      });
      expect(imagesOf(created)).toEqual([at('team/owned:1')]);
      expect(created.metadata.annotations?.[annotation]).toBeUndefined();
      expect(await replicaSets()).toHaveLength(1);
    }, 240_000);

    it('copies an image once that two hundred Deployments bring at one moment', async () => {
      const namespace = await session.fixture.namespace('many');
      const digest = await session.fixture.push('team/many:1');
      const before = session.fixture.backup.seen.length;
      const created = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          session.fixture.create(workload('Deployment', namespace, `web-${i}`, at('team/many:1'))),
        ),
      );
      // Whoever was too early to be rewritten is rewritten later.
      for (const { metadata } of created)
        await eventually(
          async () => expect(await imagesNow('Deployment', namespace, metadata.name!)).toEqual([copyOf('team/many:1')]),
          patience,
        );
      const puts = session.fixture.backup.seen
        .slice(before)
        .filter(({ method, url }) => method === 'PUT' && url.includes('team/many/manifests/'));
      expect(puts).toHaveLength(1);
      const records = (await session.fixture.copies()).filter(({ spec }) => spec.source === at('team/many:1'));
      expect(records).toHaveLength(1);
      expect(records[0]!.status).toMatchObject({ phase: 'Copied', digest, attempts: 1 });
    }, 90_000);

    it('mounts the layers of a twin that another workload of the namespace brought, with other credentials', async () => {
      const fetched = (name: string) =>
        session.fixture.source.seen.filter(
          ({ method, url }) => method === 'GET' && url.includes(`team/${name}/blobs/`),
        );
      const bring = async (namespace: string, name: string, secrets: readonly string[]) => {
        await session.fixture.push(`team/${name}:1`, 'twins');
        await session.fixture.create(workload('Deployment', namespace, name, at(`team/${name}:1`), { secrets }));
        await eventually(
          async () => expect(await imagesNow('Deployment', namespace, name)).toEqual([copyOf(`team/${name}:1`)]),
          patience,
        );
        expect(await session.fixture.missing(copyOf(`team/${name}:1`))).toEqual([]);
      };
      const namespace = await session.fixture.namespace('twins');
      await bring(namespace, 'first-twin', []);
      await bring(namespace, 'second-twin', ['some-secret']);
      expect(fetched('first-twin')).toHaveLength(2);
      expect(fetched('second-twin')).toEqual([]);
      // Whoever names a layer of another namespace has to read it at the source.
      await bring(await session.fixture.namespace('stranger'), 'third-twin', []);
      expect(fetched('third-twin')).toHaveLength(2);
    }, 60_000);

    it('admits a workload unchanged whose copy takes long, and rewrites it when the copy is there', async () => {
      const namespace = await session.fixture.namespace('slow');
      await session.fixture.push('team/slow:1');
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      session.fixture.source.gate = ({ url }) => (url.includes('/team/slow/blobs/') ? opened : undefined);
      const created = await session.fixture.create(workload('Deployment', namespace, 'web', at('team/slow:1')));
      expect(imagesOf(created)).toEqual([at('team/slow:1')]);
      expect((await recordOf(at('team/slow:1')))?.status?.phase).toBe('Copying');
      open();
      await eventually(
        async () => expect(await imagesNow('Deployment', namespace, 'web')).toEqual([copyOf('team/slow:1')]),
        patience,
      );
      session.fixture.source.gate = () => undefined;
      const rewritten = await session.fixture.get('Deployment', namespace, 'web');
      expect(JSON.parse(rewritten.metadata.annotations?.[annotation] ?? '')).toEqual({
        main: { from: at('team/slow:1'), to: copyOf('team/slow:1') },
      });
    }, 240_000);

    it('says why an image has no copy, and copies it when it is there', async () => {
      const namespace = await session.fixture.namespace('absent');
      const created = await session.fixture.create(workload('Deployment', namespace, 'web', at('team/absent:1')));
      expect(imagesOf(created)).toEqual([at('team/absent:1')]);
      await eventually(async () =>
        expect((await recordOf(at('team/absent:1')))?.status).toMatchObject({
          phase: 'Failed',
          message: expect.stringContaining('team/absent:1 does not exist'),
        }),
      );
      await session.fixture.push('team/absent:1');
      // Somebody tries again.
      await eventually(
        async () => {
          const patch = { metadata: { annotations: { tried: String(Math.random()) } } };
          const again = await session.fixture.connection.client.patch<KubeObject>(
            types['Deployment']!,
            { namespace, name: 'web' },
            { type: 'merge', body: patch },
          );
          expect(imagesOf(again)).toEqual([copyOf('team/absent:1')]);
        },
        { timeoutMs: 30_000, intervalMs: 500 },
      );
    }, 240_000);

    it('rewrites nothing while the backup registry is down, and all of it afterwards', async () => {
      const namespace = await session.fixture.namespace('down');
      await session.fixture.push('team/down:1');
      await session.fixture.push('team/known:1');
      await session.fixture.create(workload('Deployment', namespace, 'before', at('team/known:1')));
      session.fixture.backup.fault = () => ({ kind: 'status', status: 503 });
      const known = await session.fixture.create(workload('Deployment', namespace, 'known', at('team/known:1')));
      const unknown = await session.fixture.create(workload('Deployment', namespace, 'unknown', at('team/down:1')));
      expect([...imagesOf(known), ...imagesOf(unknown)]).toEqual([at('team/known:1'), at('team/down:1')]);
      session.fixture.backup.fault = () => undefined;
      await eventually(
        async () => {
          expect(await imagesNow('Deployment', namespace, 'unknown')).toEqual([copyOf('team/down:1')]);
          expect(await imagesNow('Deployment', namespace, 'known')).toEqual([copyOf('team/known:1')]);
        },
        { timeoutMs: 60_000, intervalMs: 200 },
      );
    }, 90_000);

    it('copies again an image that was deleted from the backup registry', async () => {
      const namespace = await session.fixture.namespace('deleted');
      await session.fixture.push('team/deleted:1');
      await session.fixture.create(workload('Deployment', namespace, 'one', at('team/deleted:1')));
      await session.fixture.images.deleteManifest(
        { registry: session.fixture.backup.host, path: `copies/${hostPart()}/team/deleted` },
        '1' as never,
      );
      await eventually(
        async () => {
          await session.fixture.connection.client
            .delete(types['Deployment']!, { namespace, name: 'two' })
            .catch(() => {});
          const two = await session.fixture.create(workload('Deployment', namespace, 'two', at('team/deleted:1')));
          expect(imagesOf(two)).toEqual([copyOf('team/deleted:1')]);
          expect(await session.fixture.missing(imagesOf(two)[0]!)).toEqual([]);
        },
        { timeoutMs: 20_000, intervalMs: 300 },
      );
    }, 240_000);

    it('leaves what GitOps tools keep to them, but not as it is admitted', async () => {
      const namespace = await session.fixture.namespace('gitops');
      await session.fixture.push('team/gitops:1');
      await session.fixture.end();
      const object = workload('Deployment', namespace, 'flux', at('team/gitops:1'));
      const labels = { ...object.metadata.labels, 'kustomize.toolkit.fluxcd.io/name': 'apps' };
      await session.fixture.create({ ...object, metadata: { ...object.metadata, labels } });
      await session.fixture.create(workload('Deployment', namespace, 'hand', at('team/gitops:1')));
      await session.fixture.run();
      await eventually(
        async () => expect(await imagesNow('Deployment', namespace, 'hand')).toEqual([copyOf('team/gitops:1')]),
        patience,
      );
      expect(await imagesNow('Deployment', namespace, 'flux')).toEqual([at('team/gitops:1')]);
      await eventually(async () => {
        const { items } = await session.fixture.connection.client.list<KubeObject>(types['Event']!, { namespace });
        const told = items.find((event) => event['reason'] === 'ImagesReplaced');
        expect(told?.['message']).toBe(`replaced by their copies: ${at('team/gitops:1')} → ${copyOf('team/gitops:1')}`);
      });
      const body = { metadata: { annotations: { synced: 'again' } } };
      const again = await session.fixture.connection.client.patch<KubeObject>(
        types['Deployment']!,
        { namespace, name: 'flux' },
        { type: 'merge', body },
      );
      expect(imagesOf(again)).toEqual([copyOf('team/gitops:1')]);
    }, 240_000);
  });
}
