import { beforeEach, expect, it, vi } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { type Change, Store } from '../store/index.ts';
import { WatchBroadcast } from './watch-broadcast.ts';

class RecordingSeat {
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

it('writes one and the same buffer to everybody', async () => {
  const audience = new WatchBroadcast(store.collection('/secrets'), render);
  const seats = [new RecordingSeat(), new RecordingSeat()];
  for (const seat of seats) audience.join(seat);
  put('a');
  put('b');
  await vi.waitFor(() => expect(seats[0]!.text).toBe('ADDED a\nADDED b\n'));
  expect(seats[0]!.writes).toHaveLength(1);
  expect(seats[1]!.writes[0]).toBe(seats[0]!.writes[0]);
});

it('goes on after a rest with what happened during it', async () => {
  const audience = new WatchBroadcast(store.collection('/secrets'), render);
  const seat = new RecordingSeat();
  audience.join(seat);
  for (const name of ['a', 'b', 'c']) {
    put(name);
    await vi.waitFor(() => expect(seat.text).toContain(`ADDED ${name}\n`));
  }
  expect(seat.text).toBe('ADDED a\nADDED b\nADDED c\n');
});

it('tells a newcomer nothing of what had happened before', async () => {
  const audience = new WatchBroadcast(store.collection('/secrets'), render);
  const [early, late] = [new RecordingSeat(), new RecordingSeat()];
  audience.join(early);
  put('a');
  audience.join(late);
  put('b');
  await vi.waitFor(() => expect(late.text).toBe('ADDED b\n'));
  expect(early.text).toBe('ADDED a\nADDED b\n');
});

it('passes over changes that are rendered to nothing', async () => {
  const audience = new WatchBroadcast(store.collection('/secrets'), render);
  const seat = new RecordingSeat();
  audience.join(seat);
  put('hidden');
  put('a');
  await vi.waitFor(() => expect(seat.text).toBe('ADDED a\n'));
});

it('says when the last one has left, and can be joined again', async () => {
  const onEmpty = vi.fn();
  const audience = new WatchBroadcast(store.collection('/secrets'), render, onEmpty);
  const seats = [new RecordingSeat(), new RecordingSeat()];
  for (const seat of seats) audience.join(seat);
  for (const seat of seats) audience.leave(seat);
  expect(onEmpty).toHaveBeenCalledOnce();
  put('unheard');
  audience.join(seats[0]!);
  put('a');
  await vi.waitFor(() => expect(seats[0]!.text).toBe('ADDED a\n'));
});
