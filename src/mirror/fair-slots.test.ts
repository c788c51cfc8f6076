import { describe, expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { createController } from '../controller/index.ts';
import { createFairSlots } from './fair-slots.ts';

describe('slots shared by namespaces', () => {
  it('leave room for others when the images of one namespace never end, and are given in turn', async () => {
    const slots = createFairSlots({ total: 4, perGroup: 2, groupsOf: (key) => [key.split('/')[0]!] });
    const ending = new AbortController();
    const started: string[] = [];
    const keys = [
      ...Array.from({ length: 100 }, (_, i) => `drip/${i}`),
      ...Array.from({ length: 5 }, (_, i) => `a/${i}`),
      ...Array.from({ length: 5 }, (_, i) => `b/${i}`),
    ];
    const controller = createController({
      metrics: unreadMetrics(),
      name: 'copies',
      concurrency: 4,
      sources: [slots.source, (sink) => keys.forEach(sink.add.bind(sink))],
      reconcile: slots.guard(async (key, signal) => {
        started.push(key);
        if (key.startsWith('drip/'))
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        if (started.filter((one) => !one.startsWith('drip/')).length === 10) ending.abort();
        return {};
      }),
    });
    await controller.run(ending.signal);
    expect(started.filter((key) => key.startsWith('drip/'))).toEqual(['drip/0', 'drip/1']);
    expect(started.filter((key) => key.startsWith('a/'))).toEqual(keys.filter((key) => key.startsWith('a/')));
    expect(started.filter((key) => key.startsWith('b/'))).toEqual(keys.filter((key) => key.startsWith('b/')));
  });

  it('are given to one namespace after the other, not to the longest queue', async () => {
    const slots = createFairSlots({ total: 1, perGroup: 1, groupsOf: (key) => [key.split('/')[0]!] });
    const added: string[] = [];
    await slots.source({ add: (key) => void added.push(key), addAfter() {} }, new AbortController().signal);
    let end = () => {};
    const started: string[] = [];
    const work = slots.guard(async (key) => {
      started.push(key);
      if (key === 'a/0') await new Promise<void>((resolve) => void (end = resolve));
      return {};
    });
    const { signal } = new AbortController();
    const first = work('a/0', signal);
    for (const key of ['a/1', 'a/2', 'a/3', 'b/0', 'c/0']) await work(key, signal);
    end();
    await first;
    for (let i = 0; i < added.length; i++) await work(added[i]!, signal);
    expect(started).toEqual(['a/0', 'a/1', 'b/0', 'c/0', 'a/2', 'a/3']);
  });

  it('for an image of several namespaces come from the first with room, so that no namespace blocks another', async () => {
    const wanting = new Map([['shared', ['drip']]]);
    const slots = createFairSlots({
      total: 4,
      perGroup: 2,
      groupsOf: (key) => wanting.get(key) ?? [key.split('/')[0]!],
    });
    const added: string[] = [];
    await slots.source({ add: (key) => void added.push(key), addAfter() {} }, new AbortController().signal);
    const ends: (() => void)[] = [];
    const started: string[] = [];
    const work = slots.guard(async (key) => {
      started.push(key);
      if (key.startsWith('drip/')) await new Promise<void>((resolve) => void ends.push(resolve));
      return {};
    });
    const { signal } = new AbortController();
    const dripping = ['drip/0', 'drip/1'].map((key) => work(key, signal));
    await work('shared', signal);
    expect(started).not.toContain('shared');
    // The other namespace requests it as well.
    wanting.set('shared', ['drip', 'victim']);
    await work('shared', signal);
    expect(started).toContain('shared');
    for (const end of ends) end();
    await Promise.all(dripping);
    // It is not queued anywhere any more.
    expect(added).toEqual([]);
  });
});
