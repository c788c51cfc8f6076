import { expect, it } from 'vitest';
import { WatchRefused, type WatchStream } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import { expectCode, type Fixture } from './fixture.ts';

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const take = async (stream: WatchStream, count: number) => {
  const seen: string[] = [];
  for (let index = 0; index < count; index++) {
    const { type, object } = await stream.next();
    seen.push(`${type} ${object.metadata.name}`);
  }
  return seen;
};

export function defineWatches(fixture: Fixture): void {
  const secretsPath = async () => `/api/v1/namespaces/${await fixture.namespace()}/secrets`;
  const create = async (path: string, name: string, labels: Readonly<Record<string, string>> = {}) =>
    expectCode(fixture.api.post(path, { metadata: { name, labels } }), 201);
  const relabel = (path: string, name: string, labels: object) =>
    expectCode(fixture.api.patch(`${path}/${name}`, { metadata: { labels } }, 'merge'), 200);

  it('shows every change since the version of a list, in order', async () => {
    const path = await secretsPath();
    const { metadata } = await expectCode(fixture.api.get(path), 200);
    await create(path, 'a');
    const stream = await fixture.watch(`${path}?resourceVersion=${metadata.resourceVersion}`);
    await relabel(path, 'a', { x: 'y' });
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    expect(await take(stream, 3)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  });

  it('shows whole objects with kind and version', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(path);
    const made = await create(path, 'a');
    expect(await stream.next()).toEqual({ type: 'ADDED', object: made });
  });

  it('gives a deleted object the version of its deletion', async () => {
    const path = await secretsPath();
    const made = await create(path, 'a');
    const stream = await fixture.watch(`${path}?resourceVersion=${made.metadata.resourceVersion}`);
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    const { type, object } = await stream.next();
    expect(type).toBe('DELETED');
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    expect(object.metadata.uid).toBe(made.metadata.uid);
  });

  it('starts without a version, or from 0, with what exists', async () => {
    const path = await secretsPath();
    await create(path, 'a');
    await create(path, 'b');
    const { metadata } = await create(path, 'c');
    // A cache answers a watch from 0 and may lag behind; a read of that version makes sure that it does not.
    await expectCode(fixture.api.get(`${path}?resourceVersion=${metadata.resourceVersion}`), 200);
    for (const query of ['', '?resourceVersion=0']) {
      const stream = await fixture.watch(path + query);
      expect((await take(stream, 3)).sort()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
      stream.close();
    }
  });

  it('follows a single name', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(`${path}?fieldSelector=metadata.name%3Db`);
    await create(path, 'a');
    await create(path, 'b');
    expect(await take(stream, 1)).toEqual(['ADDED b']);
  });

  it('does not watch at the path of a single object, but answers with it', async () => {
    const path = await secretsPath();
    const made = await create(path, 'a');
    expect(await expectCode(fixture.api.get(`${path}/a?watch=true`), 200)).toEqual(made);
  });

  it('follows all namespaces', async () => {
    const label = fixture.unique('everywhere');
    const stream = await fixture.watch(`/api/v1/secrets?labelSelector=everywhere%3D${label}`);
    for (const name of ['a', 'b']) await create(await secretsPath(), name, { everywhere: label });
    expect(await take(stream, 2)).toEqual(['ADDED a', 'ADDED b']);
  });

  it('turns a change into ADDED or DELETED when an object begins or ceases to match the selector', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(`${path}?labelSelector=x%3Dy`);
    await create(path, 'a');
    await relabel(path, 'a', { x: 'y' });
    await relabel(path, 'a', { other: '1' });
    await relabel(path, 'a', { x: 'z' });
    await relabel(path, 'a', { x: 'y' });
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    const seen = await take(stream, 5);
    expect(seen).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
  });

  it('shows an object that ceases to match as it last matched', async () => {
    const path = await secretsPath();
    await create(path, 'a', { x: 'y' });
    const stream = await fixture.watch(`${path}?labelSelector=x%3Dy`);
    await stream.next();
    const changed = await relabel(path, 'a', { x: 'z' });
    const { type, object } = await stream.next();
    expect(type).toBe('DELETED');
    expect(object.metadata.labels).toEqual({ x: 'y' });
    expect(object.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
  });

  it('sends a bookmark after the initial events on request', async () => {
    const path = await secretsPath();
    await create(path, 'a');
    const stream = await fixture.watch(
      `${path}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(await take(stream, 1)).toEqual(['ADDED a']);
    const { type, object } = await stream.next();
    expect(type).toBe('BOOKMARK');
    expect(object).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
    expect(object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('ends a watch after its timeout, with a bookmark if bookmarks were requested', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(`${path}?allowWatchBookmarks=true&timeoutSeconds=3`);
    const seen: string[] = [];
    for await (const { type } of stream) seen.push(type);
    expect(seen).toContain('BOOKMARK');
  });

  it('ends a watch after its timeout without a word otherwise', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(`${path}?timeoutSeconds=1`);
    const seen: string[] = [];
    for await (const { type } of stream) seen.push(type);
    expect(seen).toEqual([]);
  });

  it('refuses initial events without the right to match', async () => {
    const path = await secretsPath();
    const refused = await fixture.watch(`${path}?sendInitialEvents=true`).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WatchRefused);
    expect((refused as WatchRefused).answer.body).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it('shows only metadata on request', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(path, { accept: metadataOnly });
    await create(path, 'a');
    const { type, object } = await stream.next();
    expect(type).toBe('ADDED');
    expect(Object.keys(object).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(object.kind).toBe('PartialObjectMetadata');
  });

  it('accepts the old path of a watch', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(path.replace('/api/v1/', '/api/v1/watch/'));
    await create(path, 'a');
    expect(await take(stream, 1)).toEqual(['ADDED a']);
  });

  it('shows the same changes to many watchers in the same order', async () => {
    const path = await secretsPath();
    const streams = await Promise.all(Array.from({ length: 5 }, () => fixture.watch(path)));
    for (const name of ['a', 'b', 'c']) await create(path, name);
    for (const stream of streams) expect(await take(stream, 3)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('lists from the cache, under resourceVersion=0, what a watch has shown', async () => {
    const path = await secretsPath();
    const stream = await fixture.watch(path);
    await create(path, 'a');
    await stream.next();
    await eventually(async () => {
      const { items } = await expectCode(fixture.api.get(`${path}?resourceVersion=0`), 200);
      expect(items).toHaveLength(1);
    });
  });
}
