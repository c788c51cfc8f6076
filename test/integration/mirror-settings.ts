import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { createRegistryClient, staticSource } from '../../src/registry/index.ts';
import { startRegistryServer } from '../../src/registryserver/index.ts';
import { pushImage } from '../support/push-image.ts';
import { eventually } from '../support/wait.ts';
import { imagesOf, types, workload } from './mirror-fixture.ts';
import { annotation, type MirrorSession, patience } from './mirror-session.ts';

/** What the settings change. */
export function defineSettings(session: MirrorSession): void {
  const { at, copyOf, hostPart, recordOf, group } = session;
  describe('with a private source', () => {
    const users = { puller: 'pull-word-31337' };
    const wrong = 'wrong-word-4711';
    let source: Awaited<ReturnType<typeof startRegistryServer>>;
    beforeAll(async () => {
      source = await startRegistryServer({ users });
      await session.fixture.run(
        {},
        { env: { BACKUP_REGISTRY_USERNAME: 'keeper', BACKUP_REGISTRY_PASSWORD: 'keep-word-2718' } },
      );
    }, 240_000);
    afterAll(() => source?.stop());

    const pullSecret = (namespace: string, name: string, password: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: {
        '.dockerconfigjson': Buffer.from(
          JSON.stringify({ auths: { [source.host]: { auth: Buffer.from(`puller:${password}`).toString('base64') } } }),
        ).toString('base64'),
      },
    });

    it('tries the credentials of workloads and service accounts in turn, and shows them nowhere', async () => {
      const pusher = createRegistryClient({
        credentials: staticSource(source.host, 'puller', users.puller, 'the test'),
      });
      for (const name of ['own', 'account', 'late']) await pushImage(pusher, `${source.host}/private/${name}:1`);
      await pusher.close();
      const namespace = await session.fixture.namespace('private');
      const copy = (name: string) =>
        `${session.fixture.backup.host}/copies/${source.host.replace(':', '_')}/private/${name}:1`;
      await session.fixture.create(pullSecret(namespace, 'bad', wrong));
      await session.fixture.create(pullSecret(namespace, 'good', users.puller));
      await session.fixture.create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'puller', namespace },
        imagePullSecrets: [{ name: 'good' }],
      });
      const own = workload('Deployment', namespace, 'own', `${source.host}/private/own:1`, {
        secrets: ['missing', 'bad', 'good'],
      });
      expect(imagesOf(await session.fixture.create(own))).toEqual([copy('own')]);
      const account = workload('Deployment', namespace, 'account', `${source.host}/private/account:1`, {
        secrets: ['bad'],
        serviceAccount: 'puller',
      });
      expect(imagesOf(await session.fixture.create(account))).toEqual([copy('account')]);
      // Nobody who may read it has asked for it yet.
      const poor = workload('Deployment', namespace, 'poor', `${source.host}/private/late:1`, { secrets: ['bad'] });
      expect(imagesOf(await session.fixture.create(poor))).toEqual([`${source.host}/private/late:1`]);
      await eventually(
        async () => expect((await recordOf(`${source.host}/private/late:1`))?.status?.phase).toBe('Failed'),
        patience,
      );
      const rich = workload('Deployment', namespace, 'rich', `${source.host}/private/late:1`, { secrets: ['good'] });
      expect(imagesOf(await session.fixture.create(rich))).toEqual([copy('late')]);

      const events = await session.fixture.connection.client.list(types['Event']!, {});
      const everything = [
        session.fixture.logged(),
        JSON.stringify(await session.fixture.copies()),
        JSON.stringify(events.items),
      ].join('\n');
      expect(everything).toContain('private/late');
      for (const secret of [users.puller, wrong, 'keep-word-2718'])
        for (const form of [
          secret,
          Buffer.from(secret).toString('base64'),
          Buffer.from(`puller:${secret}`).toString('base64'),
        ])
          expect(everything.includes(form)).toBe(false);
    }, 240_000);
  });

  describe('with the original mapping', () => {
    it('gives a Deployment and a DaemonSet the original form, and refuses a second source of that name', async () => {
      await session.fixture.run({
        mapping: 'basename',
        registry: `${session.fixture.backup.host}/piotrkpcbackup`,
        namespaceSelector: group('seed'),
      });
      const namespace = await session.fixture.namespace('seed', { group: 'seed' });
      await session.fixture.push('library/busybox:latest', 'the first');
      await session.fixture.push('other/busybox:latest', 'the second');
      const copy = `${session.fixture.backup.host}/piotrkpcbackup/busybox:latest`;
      // Without a tag, as `busybox` alone would be.
      const deployment = await session.fixture.create(
        workload('Deployment', namespace, 'busybox-deployment', at('library/busybox')),
      );
      const daemonSet = await session.fixture.create(
        workload('DaemonSet', namespace, 'busybox-daemonset', at('library/busybox:latest')),
      );
      expect([...imagesOf(deployment), ...imagesOf(daemonSet)]).toEqual([copy, copy]);
      const other = await session.fixture.create(
        workload('Deployment', namespace, 'other', at('other/busybox:latest')),
      );
      expect(imagesOf(other)).toEqual([at('other/busybox:latest')]);
      expect(session.fixture.logged()).not.toContain('"to":"other');
      const digest = (await recordOf(at('library/busybox:latest')))?.status?.digest;
      expect(
        (
          await session.fixture.images.headManifest(
            { registry: session.fixture.backup.host, path: 'piotrkpcbackup/busybox' },
            'latest' as never,
          )
        )?.digest,
      ).toBe(digest);
      for (const mapping of ['path', 'flat'] as const) {
        await session.fixture.run({
          mapping,
          registry: `${session.fixture.backup.host}/${mapping}`,
          namespaceSelector: group('seed'),
        });
        for (const source of ['library', 'other']) {
          const created = await session.fixture.create(
            workload('Deployment', namespace, `${source}-${mapping}`, at(`${source}/busybox:latest`)),
          );
          expect(imagesOf(created)[0]).toMatch(new RegExp(`/${mapping}/.*${source}(/|__)busybox:latest$`));
          const record = await recordOf(at(`${source}/busybox:latest`));
          expect(record?.status?.phase).toBe('Copied');
          expect(await session.fixture.missing(imagesOf(created)[0]!)).toEqual([]);
        }
      }
    }, 90_000);
  });

  describe('with pods rewritten', () => {
    beforeAll(
      () => session.fixture.run({ rewrite: 'pods', pullSecret: 'backup-login', namespaceSelector: group('pods') }),
      60_000,
    );

    it('replaces the images of pods of any owner, and of containers that are added later', async () => {
      const namespace = await session.fixture.namespace('pods', { group: 'pods' });
      await session.fixture.connection.client
        .create(types['ServiceAccount']!, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'default', namespace },
        })
        .catch(() => {});
      await session.fixture.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'backup-login', namespace },
        type: 'kubernetes.io/dockerconfigjson',
        data: {
          '.dockerconfigjson': Buffer.from(
            JSON.stringify({ auths: { [session.fixture.backup.host]: { username: 'a', password: 'b' } } }),
          ).toString('base64'),
        },
      } as KubeObject);
      for (const name of ['pod', 'init', 'debug']) await session.fixture.push(`team/${name}:1`);
      const pod = workload('Pod', namespace, 'alone', at('team/pod:1'), { init: at('team/init:1') });
      const owner = {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'x',
        uid: 'e2b1f4c0-0000-4000-8000-000000000000',
        controller: true,
      };
      const created = await session.fixture.create({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
      expect(imagesOf(created)).toEqual([copyOf('team/init:1'), copyOf('team/pod:1')]);
      expect((created['spec'] as Record<string, unknown>)['imagePullSecrets']).toEqual([{ name: 'backup-login' }]);
      const alone = await session.fixture.create(workload('Pod', namespace, 'debugged', at('team/pod:1')));
      const debugger_ = { name: 'debug', image: at('team/debug:1'), targetContainerName: 'main' };
      const debugged = await session.fixture.connection.client.patch<KubeObject>(
        types['Pod']!,
        { namespace, name: alone.metadata.name! },
        { type: 'strategic', body: { spec: { ephemeralContainers: [debugger_] } } },
        { subresource: 'ephemeralcontainers' },
      );
      const { ephemeralContainers } = debugged['spec'] as {
        readonly ephemeralContainers: readonly { readonly image: string }[];
      };
      expect(ephemeralContainers.map(({ image }) => image)).toEqual([copyOf('team/debug:1')]);
      const deployment = await session.fixture.create(workload('Deployment', namespace, 'web', at('team/pod:1')));
      expect(imagesOf(deployment)).toEqual([at('team/pod:1')]);
    }, 240_000);
  });

  describe('pinned by digest, following', () => {
    it('keeps every digest that was handed out, and hands out the newest', async () => {
      await session.fixture.run({
        pin: 'digest',
        follow: true,
        recheck: '1s',
        registry: `${session.fixture.backup.host}/pinned`,
        namespaceSelector: group('pinned'),
      });
      const namespace = await session.fixture.namespace('pinned', { group: 'pinned' });
      const first = await session.fixture.push('team/moving:1', 'first');
      const copy = `${session.fixture.backup.host}/pinned/${hostPart()}/team/moving:1`;
      const one = await session.fixture.create(workload('Deployment', namespace, 'one', at('team/moving:1')));
      expect(imagesOf(one)).toEqual([`${copy}@${first}`]);
      const second = await session.fixture.push('team/moving:1', 'second');
      await eventually(async () => {
        const records = (await session.fixture.copies()).filter(({ spec }) => spec.copy === copy);
        expect(records[0]?.status).toMatchObject({ phase: 'Copied', digest: second });
      }, patience);
      const two = await session.fixture.create(workload('Deployment', namespace, 'two', at('team/moving:1')));
      expect(imagesOf(two)).toEqual([`${copy}@${second}`]);
      expect(imagesOf(await session.fixture.get('Deployment', namespace, 'one'))).toEqual([`${copy}@${first}`]);
      const tags: string[] = [];
      for await (const page of session.fixture.images.listTags({
        registry: session.fixture.backup.host,
        path: `pinned/${hostPart()}/team/moving`,
      }))
        tags.push(...page);
      expect(tags.sort()).toEqual(['1', `copy-sha256-${first.slice(7)}`, `copy-sha256-${second.slice(7)}`].sort());
    }, 240_000);

    it('keeps the copy of a moved tag if configured, says so, and restores the copy it had', async () => {
      await session.fixture.run({
        recheck: '1s',
        registry: `${session.fixture.backup.host}/left`,
        namespaceSelector: group('left'),
      });
      const namespace = await session.fixture.namespace('left', { group: 'left' });
      const first = await session.fixture.push('team/left:1', 'first');
      const copy = `${session.fixture.backup.host}/left/${hostPart()}/team/left:1`;
      await session.fixture.create(workload('Deployment', namespace, 'one', at('team/left:1')));
      const second = await session.fixture.push('team/left:1', 'second');
      const record = async () => (await session.fixture.copies()).find(({ spec }) => spec.copy === copy)?.status;
      await eventually(
        async () => expect(await record()).toMatchObject({ phase: 'Copied', digest: first, sourceDigest: second }),
        patience,
      );
      expect((await record())?.message).toContain('it is not followed');
      await session.fixture.images.deleteManifest(
        { registry: session.fixture.backup.host, path: `left/${hostPart()}/team/left` },
        '1' as never,
      );
      await eventually(async () => {
        expect(await record()).toMatchObject({ phase: 'Copied', digest: first, attempts: 2 });
        expect(await session.fixture.missing(copy)).toEqual([]);
      }, patience);
      const repository = { registry: session.fixture.backup.host, path: `left/${hostPart()}/team/left` };
      const { manifest } = await session.fixture.images.getManifest(repository, '1' as never);
      await session.fixture.images.deleteBlob(repository, manifest.blobs.at(-1)!.digest);
      await eventually(async () => {
        expect(await record()).toMatchObject({ phase: 'Copied', digest: first, attempts: 3 });
        expect(await session.fixture.missing(copy)).toEqual([]);
      }, patience);
    }, 240_000);
  });

  describe('with another backup registry', () => {
    it('moves workloads from the source, whose name is kept, and deletes unused records', async () => {
      const namespace = await session.fixture.namespace('moved', { group: 'moved' });
      await session.fixture.push('team/moved:1');
      const settings = { namespaceSelector: group('moved'), recheck: '1s', keepUnused: '1s' };
      for (const registry of ['first', 'second', 'third']) {
        await session.fixture.run({ ...settings, registry: `${session.fixture.backup.host}/${registry}` });
        if (registry === 'first')
          await session.fixture.create(workload('Deployment', namespace, 'web', at('team/moved:1')));
        const copy = `${session.fixture.backup.host}/${registry}/${hostPart()}/team/moved:1`;
        await eventually(async () => {
          const object = await session.fixture.get('Deployment', namespace, 'web');
          expect(JSON.parse(object.metadata.annotations?.[annotation] ?? '{}')).toEqual({
            main: { from: at('team/moved:1'), to: copy },
          });
          expect(imagesOf(object)).toEqual([copy]);
          const records = (await session.fixture.copies()).filter(({ spec }) => spec.source.includes('team/moved'));
          expect(records.map(({ spec }) => spec)).toMatchObject([{ source: at('team/moved:1'), copy }]);
        }, patience);
      }
    }, 240_000);
  });

  describe('in sync, failing closed', () => {
    it('refuses what it cannot copy, with the reason', async () => {
      await session.fixture.run({
        mode: 'sync',
        failurePolicy: 'Fail',
        registry: `${session.fixture.backup.host}/strict`,
        namespaceSelector: group('strict'),
      });
      const namespace = await session.fixture.namespace('strict', { group: 'strict' });
      await session.fixture.push('team/strict:1');
      const created = await session.fixture.create(workload('Deployment', namespace, 'web', at('team/strict:1')));
      expect(imagesOf(created)).toEqual([`${session.fixture.backup.host}/strict/${hostPart()}/team/strict:1`]);
      const dryRun = workload('Deployment', namespace, 'new', at('team/strict-new:1'));
      await expect(session.fixture.create(dryRun, { dryRun: true })).resolves.toBeDefined();
      await expect(
        session.fixture.create(workload('Deployment', namespace, 'absent', at('team/nobody:1'))),
      ).rejects.toThrow(/images could not be replaced by their copies: .*team\/nobody:1 does not exist/);
    }, 240_000);
  });
}
