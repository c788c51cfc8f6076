import { describe, expect, it } from 'vitest';
import { createRecordingLogger } from '../../test/support/recording-logger.ts';
import type { KubeObject } from '../object/index.ts';
import { createKubeClient } from './client.ts';
import { createInformer, type InformerOptions } from './informer.ts';
import { createInformerFactory } from './informer-factory.ts';
import { FakeStore } from './testing/fake-store.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { deployments, nodes, pods, type Respond, sendStatus, startServer, until } from './testing/server.ts';

async function setUp<S = KubeObject>(
  options: Partial<InformerOptions<KubeObject, S>> = {},
  wrap: (respond: Respond) => Respond = (respond) => respond,
) {
  const store = new FakeStore();
  const server = await startServer(wrap((request, response) => store.respond(request, response)));
  const client = createKubeClient(server.config);
  const informer = createInformer<KubeObject, S>({ client, type: pods, backoff: { baseMs: 1, maxMs: 2 }, ...options });
  const seen: string[] = [];
  informer.addHandler({
    onAdd: ({ key, isInitial }) => seen.push(`${isInitial ? 'initial' : 'add'} ${key}`),
    onUpdate: ({ key }) => seen.push(`update ${key}`),
    onDelete: ({ key, object }) => seen.push(`delete ${key}${object ? '' : ' (unseen)'}`),
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    store,
    server,
    client,
    informer,
    seen,
    stop,
    async start() {
      running = informer.run(stop.signal);
      await informer.synced();
      await until(() => store.watcherCount === 1, 'the watch is open');
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('an object that cannot be handled', () => {
  const project = (object: KubeObject) => {
    if (object.metadata.name?.startsWith('bad')) throw new RangeError('Maximum call stack size exceeded');
    return object;
  };

  it('is skipped and counted, in a list and in a watch, and other objects are not', async () => {
    const skipped: string[] = [];
    await using t = await setUp({ project, onSkipped: ({ key }) => skipped.push(key) });
    for (const name of ['a', 'bad-1', 'b']) t.store.put(name);
    await t.start();
    t.store.put('bad-2');
    t.store.put('c');
    await until(() => t.seen.length === 3, 'the neighbours');
    expect(t.seen).toEqual(['initial shop/a', 'initial shop/b', 'add shop/c']);
    expect(skipped).toEqual(['shop/bad-1', 'shop/bad-2']);
    expect(t.server.requests.filter((r) => r.query.has('watch')).length).toBe(1);
  });

  it.each(['projection', 'index'])(
    'keeps its last state and is not reported as deleted when a %s fails',
    async (where) => {
      const skipped: string[] = [];
      const fail = (object: KubeObject) => {
        if (object['n'] === 'bad') throw new TypeError('undefined is not a function');
        return 'fine';
      };
      const failing =
        where === 'index'
          ? { indexes: { n: (object: KubeObject) => [fail(object)] } }
          : { project: (object: KubeObject) => ({ ...object, checked: fail(object) }) };
      await using t = await setUp({ ...failing, onSkipped: ({ key }) => skipped.push(key) });
      t.store.put('a', { n: 'good' });
      await t.start();
      t.store.put('a', { n: 'bad' });
      t.store.put('b', { n: 'bad' });
      t.store.put('c', { n: 'good' });
      await until(() => t.seen.length === 2, 'the neighbour');
      expect(t.seen).toEqual(['initial shop/a', 'add shop/c']);
      expect(skipped).toEqual(['shop/a', 'shop/b']);
      expect(t.informer.get('shop/a')).toMatchObject({ n: 'good' });
      t.store.delete('a');
      await until(() => t.seen.length === 3, 'the end of the object');
      expect(t.seen[2]).toBe('delete shop/a');
      expect(t.server.requests.filter((r) => r.query.has('watch')).length).toBe(1);
    },
  );

  it('continues a watch when a handler throws', async () => {
    const skipped: string[] = [];
    await using t = await setUp({ onSkipped: ({ key }) => skipped.push(key) });
    t.informer.addHandler({ onAdd: ({ object }) => void (object && project(object)) });
    await t.start();
    t.store.put('bad');
    t.store.put('c');
    await until(() => t.seen.length === 2, 'both');
    expect(skipped).toEqual(['shop/bad']);
  });
});

describe('informer', () => {
  it('lists by pages, then watches', async () => {
    await using t = await setUp({ pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) t.store.put(name);
    expect(t.informer.hasSynced).toBe(false);
    await t.start();
    expect(t.seen).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `initial shop/${name}`));
    expect(t.server.requests.filter((r) => !r.query.has('watch')).length).toBe(3);
    t.store.put('a', { n: 1 });
    t.store.put('f');
    t.store.delete('b');
    await until(() => t.seen.length === 8, 'the changes');
    expect(t.seen.slice(5)).toEqual(['update shop/a', 'add shop/f', 'delete shop/b']);
    expect(t.informer.get('shop/a')?.['n']).toBe(1);
    expect(t.informer.get('shop/b')).toBeUndefined();
    expect(t.informer.list().length).toBe(5);
  });

  it('resumes from a bookmark after the server closed the watch', async () => {
    await using t = await setUp();
    t.store.put('a');
    await t.start();
    t.store.version = 500;
    t.store.bookmark();
    await until(() => t.informer.resourceVersion === '500', 'the bookmark');
    t.store.compact();
    t.store.endWatches();
    await until(() => t.store.watcherCount === 1, 'the second watch');
    const watches = t.server.requests.filter((r) => r.query.has('watch'));
    expect(watches.map((r) => r.query.get('resourceVersion'))).toEqual(['101', '500']);
  });

  it('lists again after 410 and reports only the differences', async () => {
    await using t = await setUp();
    for (const name of ['same', 'changed', 'gone']) t.store.put(name);
    await t.start();
    t.seen.length = 0;
    t.store.endWatches();
    t.store.put('changed', { n: 1 });
    t.store.delete('gone');
    t.store.put('new');
    t.store.compact();
    await until(() => t.informer.resourceVersion === String(t.store.version), 'the second list');
    expect(t.seen.sort()).toEqual(['add shop/new', 'delete shop/gone (unseen)', 'update shop/changed']);
  });

  it('resumes from a given version, and reports what was added, modified and deleted since', async () => {
    const seen: string[] = [];
    const store = new FakeStore();
    for (const name of ['old', 'changed', 'gone']) store.put(name);
    const resumeFrom = String(store.version);
    store.put('changed', { n: 1 });
    store.put('new');
    store.delete('gone');
    await using server = await startServer((request, response) => store.respond(request, response));
    const client = createKubeClient(server.config);
    const informer = createInformer<KubeObject>({ client, type: pods, resumeFrom, backoff: { baseMs: 1, maxMs: 2 } });
    informer.addHandler({
      onAdd: ({ key, origin }) => seen.push(`${origin} ${key}`),
      onDelete: ({ key }) => seen.push(`deleted ${key}`),
    });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    expect(informer.hasSynced).toBe(true);
    await until(() => seen.length === 3, 'the history');
    expect(seen).toEqual(['modified shop/changed', 'added shop/new', 'deleted shop/gone']);
    expect(server.requests.every((request) => request.query.has('watch'))).toBe(true);
    stop.abort();
    await running;
    await client.close();
  });

  it('lists when the given version is too old, and reports the list as origin', async () => {
    const seen: string[] = [];
    const store = new FakeStore();
    store.put('a');
    store.put('b');
    store.compact();
    await using server = await startServer((request, response) => store.respond(request, response));
    const client = createKubeClient(server.config);
    const informer = createInformer<KubeObject>({
      client,
      type: pods,
      resumeFrom: '1',
      backoff: { baseMs: 1, maxMs: 2 },
    });
    informer.addHandler({ onAdd: ({ key, origin }) => seen.push(`${origin} ${key}`) });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await until(() => seen.length === 2, 'the list');
    expect(seen).toEqual(['listed shop/a', 'listed shop/b']);
    stop.abort();
    await running;
    await client.close();
  });

  it('backs off while the server fails, and recovers', async () => {
    const clock = new ManualClock();
    let isDown = true;
    await using t = await setUp(
      { clock, random: () => 0, backoff: { baseMs: 100, maxMs: 1000 } },
      (respond) => (request, response) =>
        isDown ? sendStatus(response, 500, 'InternalError') : respond(request, response),
    );
    const started = t.start();
    for (const [at, expected] of [100, 200, 400, 800, 1000, 1000].entries()) {
      await until(() => clock.sleeps.length === at + 1, `pause ${at}`);
      expect(clock.sleeps[at]).toBe(expected);
      isDown = at < 5;
      clock.advance(expected);
    }
    await started;
    expect(t.informer.hasSynced).toBe(true);
  });

  it('backs off when every watch returns 410', async () => {
    const clock = new ManualClock();
    await using t = await setUp(
      { clock, random: () => 0 },
      (respond) => (request, response) =>
        request.query.has('watch') ? sendStatus(response, 410, 'Expired') : respond(request, response),
    );
    void t.informer.run(t.stop.signal);
    await until(() => clock.sleeps.length === 1, 'the first pause');
    expect(t.server.requests.length).toBe(4);
  });

  it('stores a projection and passes the whole object to handlers', async () => {
    const whole: unknown[] = [];
    await using t = await setUp<{ name: string }>({
      project: ({ metadata }) => ({ name: metadata.name ?? '' }),
      indexes: { letter: ({ name }) => [name[0] ?? '', name.length > 2 ? 'long' : 'short'] },
    });
    t.informer.addHandler({ onAdd: ({ object }) => whole.push(object?.['n']) });
    t.store.put('abc', { n: 7 });
    t.store.put('bc', { n: 8 });
    await t.start();
    expect(whole).toEqual([7, 8]);
    expect(t.informer.get('shop/abc')).toEqual({ name: 'abc' });
    expect(t.informer.byIndex('letter', 'long')).toEqual([{ name: 'abc' }]);
    expect(t.informer.indexKeys('letter').sort()).toEqual(['a', 'b', 'long', 'short']);
    t.store.delete('abc');
    await until(() => t.informer.size === 1, 'the deletion');
    expect(t.informer.byIndex('letter', 'long')).toEqual([]);
    expect(() => t.informer.byIndex('colour', 'red')).toThrow('no index "colour"');
  });

  it('passes the existing objects and then the changes to a late handler, and nothing to a removed one', async () => {
    await using t = await setUp();
    t.store.put('a');
    await t.start();
    const late: string[] = [];
    const remove = t.informer.addHandler({
      onAdd: ({ key, isInitial, object }) => late.push(`${isInitial ? 'initial' : 'add'} ${key} ${object?.kind}`),
    });
    expect(late).toEqual(['initial shop/a Pod']);
    t.store.put('b');
    await until(() => late.length === 2, 'the change');
    remove();
    t.store.put('c');
    await until(() => t.informer.size === 3, 'the next change');
    expect(late).toEqual(['initial shop/a Pod', 'add shop/b Pod']);
  });

  it('continues after a handler throws', async () => {
    const log = createRecordingLogger();
    await using t = await setUp({ log });
    t.informer.addHandler({
      onAdd: () => {
        throw new Error('mine');
      },
    });
    t.store.put('a');
    await t.start();
    t.store.put('b');
    await until(() => t.informer.size === 2, 'the second object');
    expect(log.lines.filter((line) => line.level === 'error').length).toBe(2);
    expect(t.seen).toEqual(['initial shop/a', 'add shop/b']);
  });

  it('stops on abort, even before it has synced', async () => {
    await using t = await setUp({}, () => () => {});
    const running = t.informer.run(t.stop.signal);
    const waiting = t.informer.synced(t.stop.signal);
    t.stop.abort();
    await running;
    await expect(waiting).rejects.toThrow();
    await expect(t.informer.run(t.stop.signal)).rejects.toThrow('once');
  });
});

it('one informer serves all users of the same type, selection and projection', async () => {
  const store = new FakeStore();
  store.put('a');
  await using server = await startServer((request, response) => store.respond(request, response));
  const client = createKubeClient(server.config);
  const factory = createInformerFactory({ client });
  const stop = new AbortController();
  const first = factory.for(pods);
  const running = factory.run(stop.signal);
  expect(factory.for(pods)).toBe(first);
  expect(factory.for(pods, { namespace: 'shop' })).not.toBe(first);
  expect(factory.for(deployments)).not.toBe(first);
  const projection = { name: 'name', project: ({ metadata }: KubeObject) => metadata.name };
  const projected = factory.for(nodes, { projection, indexes: { one: () => ['x'] } });
  expect(factory.for(nodes, { projection, indexes: { two: () => ['y'] } })).toBe(projected);
  await factory.synced();
  expect(projected.list()).toEqual(['a']);
  expect([projected.byIndex('one', 'x'), projected.byIndex('two', 'y')]).toEqual([['a'], ['a']]);
  stop.abort();
  await running;
  await client.close();
});

it('nobody waits for an optional kind that may not be read, and what was read of one stays', async () => {
  const store = new FakeStore();
  store.put('a');
  let isForbidden = true;
  const server = await startServer((request, response) =>
    isForbidden ? sendStatus(response, 403, 'Forbidden') : store.respond(request, response),
  );
  const client = createKubeClient(server.config);
  const told: string[] = [];
  const factory = createInformerFactory({
    client,
    backoff: { baseMs: 1, maxMs: 2 },
    onUnreadable: ({ resource }, code) => void told.push(`${resource} ${code}`),
  });
  const stop = new AbortController();
  const informer = factory.for(pods, { isOptional: true });
  const running = factory.run(stop.signal);
  await factory.synced();
  expect([informer.hasSynced, informer.failing?.code]).toEqual([false, 'kube-forbidden']);
  isForbidden = false;
  await informer.synced();
  await until(() => store.watcherCount === 1, 'the watch is open');
  isForbidden = true;
  store.endWatches();
  await until(() => informer.failing?.code === 'kube-forbidden', 'the right is gone again');
  expect([informer.hasSynced, informer.list().map(({ metadata }) => metadata.name)]).toEqual([true, ['a']]);
  stop.abort();
  await running;
  await client.close();
  await server[Symbol.asyncDispose]();
});
