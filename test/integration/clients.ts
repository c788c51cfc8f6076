import { expect, it } from 'vitest';
import { createLeaderElection } from '../../src/controller/index.ts';
import {
  createDiscovery,
  createEventRecorder,
  isKubeError,
  type KubeConnection,
  KubeError,
  type WatchEvent,
} from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { eventually } from '../support/wait.ts';
import { configMaps, deployments, events, leases, namespaces } from './connection.ts';

export interface ClientFixture {
  readonly client: KubeConnection;
  /** Makes the server forget what was before a version; absent where it cannot. */
  forget(before: number): Promise<void>;
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

let counter = 0;

/** What the program's client and a server make of each other, whichever server it is. */
export function defineClients(fixture: () => ClientFixture): void {
  const namespace = async (): Promise<string> => {
    const metadata = { generateName: 'clients-' };
    const made = await fixture().client.create<KubeObject>(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata,
    });
    return made.metadata.name!;
  };
  const configMap = (ns: string, data: Readonly<Record<string, string>> = {}, labels = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: ns, name: `map-${++counter}`, labels },
    data,
  });
  const create = (object: ConfigMap) => fixture().client.create<ConfigMap>(configMaps, object);
  const keyOf = ({ metadata }: KubeObject) => ({ namespace: metadata.namespace!, name: metadata.name! });
  const failure = async (call: Promise<unknown>): Promise<KubeError> => {
    const thrown = await call.then(
      () => expect.fail('the call did not fail'),
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(KubeError);
    return thrown as KubeError;
  };

  it('creates and gets an object, and names what went wrong with each refusal', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const made = await create(configMap(ns, { a: '1' }));
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await client.get<ConfigMap>(configMaps, keyOf(made))).toEqual(made);
    const again = await failure(
      create({ ...configMap(ns), metadata: { namespace: ns, name: made.metadata.name } as never }),
    );
    expect([again.code, again.status, again.details?.name]).toEqual(['kube-already-exists', 409, made.metadata.name]);
    const missing = await failure(client.get(configMaps, { namespace: ns, name: 'nobody' }));
    expect([missing.code, missing.status, missing.reason]).toEqual(['kube-not-found', 404, 'NotFound']);
    const invalid = await failure(create({ ...configMap(ns), metadata: { namespace: ns, name: 'Not A Name' } }));
    expect([invalid.code, invalid.causes[0]?.field]).toEqual(['kube-invalid', 'metadata.name']);
  });

  it('replaces an object at the version it was read, and nothing else', async () => {
    const { client } = fixture();
    const made = await create(configMap(await namespace(), { a: '1' }));
    const replaced = await client.replace<ConfigMap>(configMaps, { ...made, data: { a: '2' } });
    expect(Number(replaced.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    expect((await failure(client.replace(configMaps, { ...made, data: { a: '3' } }))).code).toBe('kube-conflict');
    expect((await client.get<ConfigMap>(configMaps, keyOf(made))).data).toEqual({ a: '2' });
  });

  it('patches in all three ways', async () => {
    const { client } = fixture();
    const made = await create(configMap(await namespace(), { a: '1', b: '1' }));
    const key = keyOf(made);
    const merged = await client.patch<ConfigMap>(configMaps, key, {
      type: 'merge',
      body: { data: { a: null, c: '1' } },
    });
    expect(merged.data).toEqual({ b: '1', c: '1' });
    const json = [
      { op: 'test', path: '/data/b', value: '1' },
      { op: 'replace', path: '/data/b', value: '2' },
    ];
    expect((await client.patch<ConfigMap>(configMaps, key, { type: 'json', body: json })).data).toEqual({
      b: '2',
      c: '1',
    });
    expect((await failure(client.patch(configMaps, key, { type: 'json', body: json }))).code).toBe('kube-invalid');
    const body = { metadata: { finalizers: ['example.com/a'] } };
    await client.patch(configMaps, key, { type: 'strategic', body });
    const other = { metadata: { finalizers: ['example.com/b'] } };
    const both = await client.patch<ConfigMap>(configMaps, key, { type: 'strategic', body: other });
    expect([...(both.metadata.finalizers ?? [])].sort()).toEqual(['example.com/a', 'example.com/b']);
    await client.patch(configMaps, key, { type: 'merge', body: { metadata: { finalizers: null } } });
  });

  it('applies as a manager, is refused what another owns, and may insist', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const { metadata } = configMap(ns);
    const wanted = (value: string): ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: ns, name: metadata.name! },
      data: { a: value },
    });
    await client.apply(configMaps, wanted('1'), { fieldManager: 'first' });
    const refused = await failure(client.apply(configMaps, wanted('2'), { fieldManager: 'second' }));
    expect([refused.code, refused.causes[0]?.reason, refused.causes[0]?.field]).toEqual([
      'kube-conflict',
      'FieldManagerConflict',
      '.data.a',
    ]);
    const forced = await client.apply<ConfigMap>(configMaps, wanted('2'), { fieldManager: 'second', force: true });
    expect(forced.data).toEqual({ a: '2' });
  });

  it('does nothing on a dry run', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const dry = await client.create<ConfigMap>(configMaps, configMap(ns), { dryRun: true });
    expect((await failure(client.get(configMaps, keyOf(dry)))).code).toBe('kube-not-found');
  });

  it('writes status by its subresource alone', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] } };
    const made = await client.create<KubeObject>(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: ns, name: 'a' },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
      status: { replicas: 9 },
    });
    expect((made['status'] as { replicas?: number }).replicas).toBeUndefined();
    const key = keyOf(made);
    const condition = { type: 'Progressing', status: 'Unknown', reason: 'Test', message: 'by hand' };
    const patched = await client.patch<KubeObject>(
      deployments,
      key,
      { type: 'merge', body: { spec: { replicas: 5 }, status: { conditions: [condition] } } },
      { subresource: 'status' },
    );
    expect(patched).toMatchObject({ spec: { replicas: 0 }, status: { conditions: [condition] } });
  });

  it('deletes under preconditions, and whole selections', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const made = await create(configMap(ns, {}, { group: 'a' }));
    await create(configMap(ns, {}, { group: 'a' }));
    const kept = await create(configMap(ns, {}, { group: 'b' }));
    const wrong = client.delete(configMaps, keyOf(made), {
      preconditions: { uid: '00000000-0000-0000-0000-000000000000' },
    });
    expect((await failure(wrong)).code).toBe('kube-conflict');
    await client.delete(configMaps, keyOf(made), { preconditions: { uid: made.metadata.uid! } });
    expect((await failure(client.delete(configMaps, keyOf(made)))).code).toBe('kube-not-found');
    await client.deleteCollection(configMaps, { namespace: ns, labelSelector: 'group=a' });
    const { items } = await client.list(configMaps, { namespace: ns, labelSelector: 'group' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([kept.metadata.name]);
  });

  it('lists by selectors and in pages of one state', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push((await create(configMap(ns, {}, { n: String(i % 2) }))).metadata.name!);
    const seen: string[] = [];
    const versions = new Set<string>();
    for await (const page of client.pages<ConfigMap>(configMaps, { namespace: ns, limit: 3, labelSelector: 'n' })) {
      versions.add(page.resourceVersion);
      seen.push(...page.items.map(({ metadata }) => metadata.name!));
      for (const { kind, apiVersion } of page.items) expect([apiVersion, kind]).toEqual(['v1', 'ConfigMap']);
      expect(Math.abs(Date.now() - (page.serverTimeMs ?? 0))).toBeLessThan(60_000);
      if (seen.length === 3) await create(configMap(ns, {}, { n: '0', late: 'true' }));
    }
    expect(seen.sort()).toEqual(made.sort());
    expect(versions.size).toBe(1);
    const { items } = await client.list(configMaps, { namespace: ns, fieldSelector: `metadata.name=${made[2]}` });
    expect(items).toHaveLength(1);
    const [partial] = (
      await client.list<ConfigMap>(configMaps, { namespace: ns, labelSelector: 'late', metadataOnly: true })
    ).items;
    expect(partial?.metadata.labels).toEqual({ n: '0', late: 'true' });
    expect(partial?.data).toBeUndefined();
  });

  it('watches from a version on, with every change in order', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const { resourceVersion } = await client.list(configMaps, { namespace: ns, labelSelector: 'watched' });
    const made = await create(configMap(ns, { a: '1' }, { watched: 'yes' }));
    await create(configMap(ns));
    await client.patch(configMaps, keyOf(made), { type: 'merge', body: { data: { a: '2' } } });
    await client.delete(configMaps, keyOf(made));
    const stop = new AbortController();
    const seen: WatchEvent<ConfigMap>[] = [];
    const selection = { namespace: ns, labelSelector: 'watched' };
    for await (const event of client.watch<ConfigMap>(configMaps, {
      ...selection,
      resourceVersion,
      signal: stop.signal,
    })) {
      if (event.type !== 'BOOKMARK') seen.push(event);
      if (seen.length === 3) break;
    }
    stop.abort();
    const events = seen.map((event) => event.type !== 'BOOKMARK' && [event.type, event.object.data?.['a']]);
    expect(events).toEqual([
      ['ADDED', '1'],
      ['MODIFIED', '2'],
      ['DELETED', '2'],
    ]);
  });

  it('gets the position of a watch in a bookmark before the server ends it', { timeout: 20_000 }, async () => {
    const { client } = fixture();
    const ns = await namespace();
    const selection = { namespace: ns, labelSelector: 'watched' };
    const { resourceVersion } = await client.list(configMaps, selection);
    await create(configMap(ns, {}, { watched: 'yes' }));
    let later: Promise<ConfigMap> | undefined;
    let bookmark = '0';
    for await (const event of client.watch(configMaps, { ...selection, resourceVersion, timeoutSeconds: 4 })) {
      // A real server says nothing when nothing happened since the watch began, so something does.
      if (event.type === 'BOOKMARK') bookmark = event.resourceVersion;
      else later = create(configMap(ns));
    }
    expect(Number(bookmark)).toBeGreaterThanOrEqual(Number((await later)?.metadata.resourceVersion));
  });

  it('gets the error that a version is gone, from watch and from list', async () => {
    const { client, forget } = fixture();
    const metadata = { name: `forgotten${++counter}s.example.com` };
    const names = {
      plural: metadata.name.split('.')[0]!,
      singular: `forgotten${counter}`,
      kind: `Forgotten${counter}`,
    };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await forget(5);
    // A server keeps recent history for each resource in memory; that of a new one begins late enough.
    await client.create(
      {
        group: 'apiextensions.k8s.io',
        version: 'v1',
        resource: 'customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        namespaced: false,
      },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata,
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { ...names, listKind: `${names.kind}List` },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
    );
    const type = { group: 'example.com', version: 'v1', resource: names.plural, kind: names.kind, namespaced: true };
    await eventually(() => client.list(type));
    const watching = (async () => {
      for await (const event of client.watch(type, { resourceVersion: '1' })) expect.fail(`an event: ${event.type}`);
    })();
    expect((await failure(watching)).code).toBe('kube-gone');
    const listing = client.list(type, { resourceVersion: '1', resourceVersionMatch: 'Exact' });
    expect(isKubeError(await failure(listing), 'kube-gone')).toBe(true);
  });

  it('discovers kinds and resources as people name them', async () => {
    const discovery = createDiscovery({ source: fixture().client });
    expect(await discovery.byKind('Deployment')).toMatchObject(deployments);
    expect(await discovery.byKind('v1/ConfigMap')).toMatchObject(configMaps);
    expect(await discovery.byResource('cm')).toMatchObject(configMaps);
    expect(await discovery.byResource('leases.coordination.k8s.io')).toMatchObject(leases);
    expect(await discovery.byKind('Nothing')).toBeUndefined();
    expect(discovery.failures).toEqual([]);
    for (const type of [configMaps, namespaces, events, leases, deployments])
      expect(await discovery.list()).toContainEqual(expect.objectContaining(type));
  });

  it('records events that are counted, not repeated', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const made = await create(configMap(ns));
    const recorder = createEventRecorder({ client, component: 'clients-test' });
    const stop = new AbortController();
    const running = recorder.run(stop.signal);
    const subject = { apiVersion: 'v1', kind: 'ConfigMap', ...keyOf(made), uid: made.metadata.uid! };
    for (let i = 0; i < 3; i++) recorder.record(subject, { type: 'Warning', reason: 'Tested', message: 'once more' });
    recorder.record(subject, { type: 'Normal', reason: 'Ended', message: 'no more' });
    stop.abort();
    await running;
    expect(recorder.dropped).toBe(0);
    const selection = { namespace: ns, fieldSelector: `involvedObject.uid=${made.metadata.uid}` };
    const { items } = await client.list<KubeObject>(events, selection);
    const told = items.map(({ reason, message, count, type }) => ({ reason, message, count, type }));
    expect(told).toHaveLength(2);
    expect(told).toContainEqual({ reason: 'Tested', message: 'once more', count: 3, type: 'Warning' });
    expect(told).toContainEqual({ reason: 'Ended', message: 'no more', count: 1, type: 'Normal' });
  });

  it('holds a Lease that the server accepts, renews it, and gives it back', async () => {
    const { client } = fixture();
    const ns = await namespace();
    const stop = new AbortController();
    let terms = 0;
    const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 100 };
    const election = createLeaderElection({ client, identity: 'one', lease: { namespace: ns, name: 'l' }, ...times });
    const running = election.run(async (signal) => {
      terms++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }, stop.signal);
    const lease = () => client.get<KubeObject>(leases, { namespace: ns, name: 'l' });
    const first = await eventually(lease);
    expect(first['spec']).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 3, leaseTransitions: 0 });
    await eventually(async () =>
      expect((await lease()).metadata.resourceVersion).not.toBe(first.metadata.resourceVersion),
    );
    expect(election.isLeading()).toBe(true);
    const { acquireTime } = first['spec'] as { acquireTime: string };
    expect((await lease())['spec']).toMatchObject({ acquireTime });
    stop.abort();
    await running;
    expect(terms).toBe(1);
    expect((await lease())['spec']).not.toMatchObject({ holderIdentity: 'one' });
  });
}
