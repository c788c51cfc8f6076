import { beforeEach, expect, it, vi } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { type Change, Store } from '../store/index.ts';
import { WatchBroadcast } from './watch-broadcast.ts';

class RecordingSubscriber {
  readonly writes: Buffer[] = [];
  get text(): string {
    return Buffer.concat(this.writes).toString();
  }
  write(events: Buffer): void {
    this.writes.push(events);
  }
}

const render = ({ type, key }: Change) => (key.startsWith('hidden') ? undefined : `${type} ${key}\n`);
const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
let store: Store;
const put = (name: string) => store.put('/secrets', name, object(name));

beforeEach(() => {
  store = new Store();
});

it('writes the same buffer to all subscribers', async () => {
  const broadcast = new WatchBroadcast(store.collection('/secrets'), render);
  const subscribers = [new RecordingSubscriber(), new RecordingSubscriber()];
  for (const subscriber of subscribers) broadcast.join(subscriber);
  put('a');
  put('b');
  await vi.waitFor(() => expect(subscribers[0]!.text).toBe('ADDED a\nADDED b\n'));
  expect(subscribers[0]!.writes).toHaveLength(1);
  expect(subscribers[1]!.writes[0]).toBe(subscribers[0]!.writes[0]);
});

it('sends events of the pause after it', async () => {
  const broadcast = new WatchBroadcast(store.collection('/secrets'), render);
  const subscriber = new RecordingSubscriber();
  broadcast.join(subscriber);
  for (const name of ['a', 'b', 'c']) {
    put(name);
    await vi.waitFor(() => expect(subscriber.text).toContain(`ADDED ${name}\n`));
  }
  expect(subscriber.text).toBe('ADDED a\nADDED b\nADDED c\n');
});

it('sends no earlier events to a new subscriber', async () => {
  const broadcast = new WatchBroadcast(store.collection('/secrets'), render);
  const [early, late] = [new RecordingSubscriber(), new RecordingSubscriber()];
  broadcast.join(early);
  put('a');
  broadcast.join(late);
  put('b');
  await vi.waitFor(() => expect(late.text).toBe('ADDED b\n'));
  expect(early.text).toBe('ADDED a\nADDED b\n');
});

it('skips changes that do not match', async () => {
  const broadcast = new WatchBroadcast(store.collection('/secrets'), render);
  const subscriber = new RecordingSubscriber();
  broadcast.join(subscriber);
  put('hidden');
  put('a');
  await vi.waitFor(() => expect(subscriber.text).toBe('ADDED a\n'));
});

it('reports when the last subscriber has left, and can be joined again', async () => {
  const onEmpty = vi.fn();
  const broadcast = new WatchBroadcast(store.collection('/secrets'), render, onEmpty);
  const subscribers = [new RecordingSubscriber(), new RecordingSubscriber()];
  for (const subscriber of subscribers) broadcast.join(subscriber);
  for (const subscriber of subscribers) broadcast.leave(subscriber);
  expect(onEmpty).toHaveBeenCalledOnce();
  put('unsent');
  broadcast.join(subscribers[0]!);
  put('a');
  await vi.waitFor(() => expect(subscribers[0]!.text).toBe('ADDED a\n'));
});
