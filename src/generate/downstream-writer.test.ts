import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/index.ts';
import { KubeError } from '../kube/index.ts';
import { type KubeObject, keyOf } from '../object/index.ts';
import { DownstreamWriter } from './downstream-writer.ts';
import { OnceMarkers } from './once-markers.ts';
import type { Origin } from './origin.ts';
import type { OutboxEntry } from './outbox.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const refuse = (
  code: KubeError['code'],
  more: { readonly causes?: { reason: string; message: string; field: string }[] } = {},
) => new KubeError(code, code, { method: 'POST', path: '/', ...more });

function setUp(initial: readonly KubeObject[] = [], failure?: KubeError) {
  const objects = new Map(initial.map((object) => [keyOf(object), object]));
  const calls: string[] = [];
  let version = 100;
  const stored = (object: KubeObject, uid: string) => {
    const written = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++version) } };
    objects.set(keyOf(object), written);
    return written as never;
  };
  const client = {
    async get(_: unknown, { namespace, name }: { readonly namespace?: string | undefined; readonly name: string }) {
      const found = objects.get(`${namespace}/${name}`);
      if (!found) throw refuse('kube-not-found');
      return found as never;
    },
    async create(_: unknown, given: unknown) {
      const object = given as KubeObject;
      if (failure) throw failure;
      if (objects.has(keyOf(object))) throw refuse('kube-already-exists');
      calls.push(`create ${keyOf(object)}`);
      return stored(object, `uid-${version}`);
    },
    async replace(_: unknown, given: unknown) {
      const object = given as KubeObject;
      const before = objects.get(keyOf(object));
      if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) throw refuse('kube-conflict');
      calls.push(`replace ${keyOf(object)}`);
      return stored(object, before?.metadata.uid ?? '');
    },
    async delete(_: unknown, key: { readonly namespace?: string | undefined; readonly name: string }) {
      calls.push(`delete ${key.namespace}/${key.name}`);
    },
    patch: async () => ({}) as never,
  };
  const once = new OnceMarkers({ client, namespace: 'ours', installation: 'ours', clock: systemClock });
  const writer = new DownstreamWriter({
    client,
    discovery: { byKind: async () => ({ ...configMaps }) as never },
    installation: 'ours',
    fieldManager: 'ours-generate',
    once,
  });
  return { writer, calls, objects };
}

const wanted = (data: Readonly<Record<string, string>> = { a: '1' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', namespace: 'shop' },
  data,
});
const origin = (synchronize: boolean, more: Partial<Origin> = {}): Origin => ({
  policy: 'p',
  rule: 'r',
  trigger: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a', uid: 'u' },
  operation: 'CREATE',
  synchronize,
  ...more,
});
const { signal } = new AbortController();

describe('writing generated objects', () => {
  it('creates once, and without synchronize leaves existing objects as they are', async () => {
    const { writer, calls, objects } = setUp();
    expect(await writer.ensure(wanted(), origin(false), signal)).toBe('created');
    expect(await writer.ensure(wanted({ a: '2' }), origin(false), signal)).toBe('existed');
    expect(calls).toEqual(['create shop/x']);
    expect(objects.get('shop/x')?.['data']).toEqual({ a: '1' });
  });

  it('with synchronize updates what differs, and recognises its own writes', async () => {
    const { writer, calls, objects } = setUp();
    await writer.ensure(wanted(), origin(true), signal);
    expect(await writer.ensure(wanted(), origin(true), signal)).toBe('unchanged');
    expect(await writer.ensure(wanted({ a: '2' }), origin(true), signal)).toBe('updated');
    expect(calls).toEqual(['create shop/x', 'replace shop/x']);
    expect(writer.isOwnWrite(objects.get('shop/x')!)).toBe(true);
    expect(writer.isOwnWrite(wanted())).toBe(false);
  });

  it('recognises the requests of its own writes, and of nobody else', async () => {
    const { writer, objects } = setUp();
    const request = (operation: 'CREATE' | 'UPDATE' | 'DELETE', object?: KubeObject, subresource = '') => ({
      ...({} as OutboxEntry['request']),
      operation,
      subresource,
      ...(operation === 'CREATE' ? { object } : { oldObject: object }),
    });
    await writer.ensure(wanted(), origin(true), signal);
    const made = objects.get('shop/x')!;
    expect(writer.isOwnRequest(request('CREATE', made))).toBe(true);
    expect(writer.isOwnRequest(request('UPDATE', made))).toBe(false);
    await writer.ensure(wanted({ a: '2' }), origin(true), signal);
    expect(writer.isOwnRequest(request('UPDATE', made))).toBe(true);
    expect(writer.isOwnRequest(request('UPDATE', made, 'scale'))).toBe(false);
    expect(writer.isOwnRequest(request('UPDATE', objects.get('shop/x')!))).toBe(false);
    expect(writer.isOwnRequest(request('DELETE', made))).toBe(false);
    expect(writer.isOwnRequest(request('CREATE', wanted()))).toBe(false);
  });

  it('does not take the request of another for its own when its write was refused', async () => {
    const stored = { ...wanted(), metadata: { ...wanted().metadata, uid: 'u', resourceVersion: '7' } };
    const { writer } = setUp([{ ...stored, metadata: { ...stored.metadata, resourceVersion: '8' } }]);
    await expect(writer.change(stored, 'p', signal)).rejects.toThrow();
    const request = { operation: 'UPDATE', subresource: '', oldObject: stored } as OutboxEntry['request'];
    expect(writer.isOwnRequest(request)).toBe(false);
  });

  it('does not touch objects that are not ours, or belong to another rule', async () => {
    const theirs = { ...wanted({ a: 'theirs' }), metadata: { ...wanted().metadata, uid: 'v', resourceVersion: '1' } };
    const { writer, calls } = setUp([theirs]);
    await expect(writer.ensure(wanted(), origin(true), signal)).rejects.toThrow(
      /does not belong to this rule: it lacks our label/,
    );
    expect(await writer.remove(configMaps, theirs, signal)).toBe(false);
    const other = setUp();
    await other.writer.ensure(wanted(), origin(true, { rule: 'other' }), signal);
    await expect(other.writer.ensure(wanted(), origin(true), signal)).rejects.toThrow(
      /rule other of policy p generated it/,
    );
    expect([...calls, ...other.calls]).toEqual(['create shop/x']);
  });

  it('names the verb and the resource of a missing permission', async () => {
    const { writer } = setUp([], refuse('kube-forbidden'));
    await expect(writer.ensure(wanted(), origin(false), signal)).rejects.toMatchObject({
      code: 'generate-forbidden',
      message: expect.stringMatching(/cannot create configmaps in namespace shop/),
    });
    const going = refuse('kube-forbidden', { causes: [{ reason: 'NamespaceTerminating', message: '', field: '' }] });
    await expect(setUp([], going).writer.ensure(wanted(), origin(false), signal)).rejects.toBe(going);
  });

  it('creates once what two simultaneous triggers request under two names', async () => {
    const { writer, calls } = setUp();
    const named = (name: string): KubeObject => ({
      ...wanted(),
      metadata: { name, namespace: 'shop', annotations: { 'supercargo.dev/once-per': 'sha256:abc' } },
    });
    const results = await Promise.all(['x', 'y', 'z'].map((name) => writer.ensure(named(name), origin(false), signal)));
    expect(results.sort()).toEqual(['created', 'done before', 'done before']);
    expect(calls.filter((call) => call.startsWith('create shop/'))).toHaveLength(1);
  });

  it('changes what was read, and nothing that may be made up', async () => {
    const read = { ...wanted(), metadata: { ...wanted().metadata, uid: 'u', resourceVersion: '1' } };
    const { writer, calls } = setUp([read]);
    const { signal } = new AbortController();
    const change = (metadata: object) =>
      writer.change({ ...read, metadata: { ...read.metadata, ...metadata } } as KubeObject, 'MutatingPolicy/p', signal);
    for (const field of ['uid', 'resourceVersion'])
      await expect(change({ [field]: undefined })).rejects.toThrow('would replace whatever is there');
    await expect(change({ resourceVersion: '0' })).rejects.toThrow('kube-conflict');
    expect(calls).toEqual([]);
    await change({});
    expect(calls).toEqual([`replace ${keyOf(read)}`]);
  });
});
