import { expect, it } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { ManualClock } from '../kube/testing/manual-clock.ts';
import type { KubeObject } from '../object/index.ts';
import type { LookUp } from '../policy/index.ts';
import { GlobalEntry, type GlobalEntryOptions, type GlobalEntrySpec } from './global-entry.ts';

const never = new AbortController().signal;
const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', managedFields: [] },
  ...more,
});

function entryOf(spec: GlobalEntrySpec, more: Partial<GlobalEntryOptions> = {}, objects: readonly KubeObject[] = []) {
  const clock = new ManualClock();
  const listed: unknown[] = [];
  const client = {
    async *pages(_: unknown, { namespace }: { readonly namespace?: string }) {
      listed.push(namespace);
      yield { resourceVersion: '1', items: objects };
    },
    async *watch(_: unknown, { signal }: { readonly signal: AbortSignal }) {
      yield* [];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const entry = new GlobalEntry(spec, {
    client: client as never,
    discovery: {
      byResource: async (wanted) =>
        typeof wanted === 'object' && wanted.resource === 'pods' ? (pods as never) : undefined,
    },
    call: () => Promise.reject(new Error('not called')),
    maxObjects: 3,
    maxBytes: 10_000,
    clock,
    log: silentLogger,
    ...more,
  });
  return { entry, clock, listed };
}

const watched = (more: object = {}): GlobalEntrySpec => ({
  kubernetesResource: { version: 'v1', resource: 'pods', namespace: 'shop', ...more },
  projections: [{ name: 'names', jmesPath: '[].metadata.name' }],
});

it('keeps the objects of a kind in its namespace, with projections, without what servers note of writes', async () => {
  const { entry, listed } = entryOf(watched(), {}, [pod('a'), pod('b')]);
  expect(await entry.read('names', never)).toEqual(['a', 'b']);
  const [first] = (await entry.read('', never)) as KubeObject[];
  expect(first?.metadata).toEqual({ name: 'a', namespace: 'shop', uid: 'a', resourceVersion: '1' });
  expect(listed).toEqual(['shop']);
  await expect(entry.read('other', never)).rejects.toThrow('it has no projection "other"');
  entry.stop();
});

it('holds no more objects and bytes than its limits', async () => {
  const many = entryOf(
    watched(),
    {},
    ['a', 'b', 'c', 'd'].map((name) => pod(name)),
  );
  await expect(many.entry.read('', never)).rejects.toThrow('more than 3 objects');
  const large = entryOf(watched(), {}, [pod('a', { spec: { text: 'x'.repeat(20_000) } })]);
  await expect(large.entry.read('', never)).rejects.toThrow('more than 3 objects or 0 MiB');
});

it('is read again some time after it held too much', async () => {
  const objects = ['a', 'b', 'c', 'd'].map((name) => pod(name));
  const { entry, clock, listed } = entryOf(watched(), {}, objects);
  await expect(entry.read('', never)).rejects.toThrow('more than 3 objects');
  objects.pop();
  clock.advance(30_000);
  await expect(entry.read('', never)).rejects.toThrow('more than 3 objects');
  expect(listed).toHaveLength(1);
  clock.advance(30_000);
  expect(await entry.read('names', never)).toEqual(['a', 'b', 'c']);
  entry.stop();
  await expect(entry.read('', never)).rejects.toThrow('it was changed or deleted');
});

it('says at once that it holds too much, in the middle of a list', async () => {
  const client = {
    async *pages(_: unknown, { signal }: { readonly signal: AbortSignal }) {
      yield { resourceVersion: '1', items: ['a', 'b', 'c', 'd'].map((name) => pod(name)) };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const { entry } = entryOf(watched(), { client: client as never });
  await expect(entry.read('', never)).rejects.toThrow('more than 3 objects');
});

it('a kind that is not served yet is asked for again some time later', async () => {
  const answers = [undefined, pods];
  const byResource = async () => answers.shift() as never;
  const { entry, clock } = entryOf(watched(), { discovery: { byResource } }, [pod('a')]);
  await expect(entry.read('', never)).rejects.toThrow('the cluster does not serve');
  await expect(entry.read('', never)).rejects.toThrow('the cluster does not serve');
  clock.advance(10_000);
  expect(await entry.read('names', never)).toEqual(['a']);
  entry.stop();
});

const settled = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

it('calls at intervals, and projects each answer', async () => {
  const calls: LookUp[] = [];
  const call = async (lookUp: LookUp) => {
    calls.push(lookUp);
    return { items: calls.length };
  };
  const spec = {
    apiCall: { urlPath: '/apis/apps/v1/deployments', refreshInterval: '1m' },
    projections: [{ name: 'count', jmesPath: 'items' }],
  };
  const { entry, clock } = entryOf(spec, { call });
  expect([await entry.read('count', never), await entry.read('', never)]).toEqual([1, { items: 1 }]);
  expect(entry.refreshedMs).toBe(clock.now());
  await settled();
  clock.advance(60_000);
  await settled();
  expect(await entry.read('count', never)).toBe(2);
  expect(calls[0]).toEqual({ kind: 'apiCall', method: 'GET', urlPath: '/apis/apps/v1/deployments' });
  entry.stop();
});

it('an answer that fails leaves no older one, after as many attempts as are asked for', async () => {
  let isUp = true;
  let asked = 0;
  const call = async () => {
    asked++;
    if (!isUp) throw new Error('it is down');
    return 'up';
  };
  const { entry, clock } = entryOf({ apiCall: { urlPath: '/x', refreshInterval: '1m', retryLimit: 2 } }, { call });
  expect(await entry.read('', never)).toBe('up');
  await settled();
  isUp = false;
  clock.advance(60_000);
  await settled();
  clock.advance(1_000);
  await settled();
  expect(asked).toBe(3);
  await expect(entry.read('', never)).rejects.toThrow('it is down');
  entry.stop();
});

it('a POST sends its data, to a service or to the API server', async () => {
  const calls: LookUp[] = [];
  const call = async (lookUp: LookUp) => void calls.push(lookUp);
  const data = [{ key: 'a', value: { b: 1 } }];
  const service = { url: 'https://svc.example/x', caBundle: 'PEM', headers: [{ key: 'h', value: 'v' }] };
  for (const apiCall of [
    { method: 'POST' as const, data, service },
    { method: 'POST' as const, data, urlPath: '/x' },
  ]) {
    const { entry } = entryOf({ apiCall }, { call });
    await entry.read('', never);
    entry.stop();
  }
  expect(calls).toEqual([
    {
      kind: 'serviceCall',
      method: 'POST',
      url: 'https://svc.example/x',
      headers: { h: 'v' },
      caBundle: 'PEM',
      data: { a: { b: 1 } },
    },
    { kind: 'apiCall', method: 'POST', urlPath: '/x', data: { a: { b: 1 } } },
  ]);
});

it.each([
  [{}, 'one of kubernetesResource and apiCall is required'],
  [{ apiCall: {} }, 'one of urlPath and service is required'],
  [{ apiCall: { urlPath: '/x' }, projections: [{ name: 'p', jmesPath: '[' }] }, 'the expression is incomplete'],
])('a spec that cannot be used is refused (%j)', (spec, message) => {
  expect(() => entryOf(spec)).toThrow(message);
});
