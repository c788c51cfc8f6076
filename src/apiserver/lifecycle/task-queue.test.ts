import { expect, it } from 'vitest';
import { createTaskQueue } from './task-queue.ts';

it('runs tasks in sequence and never in the stack of the caller', async () => {
  const queue = createTaskQueue(() => {});
  const seen: string[] = [];
  const task = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Promise.resolve();
    seen.push(`${name} ends`);
  };
  queue.add('a', task('a'));
  queue.add('b', task('b'));
  expect(seen).toEqual([]);
  await queue.settle();
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

it('keeps only the last task of a key until it starts', async () => {
  const queue = createTaskQueue(() => {});
  const seen: number[] = [];
  for (let i = 0; i < 3; i++) queue.add('a', async () => void seen.push(i));
  await queue.settle();
  expect(seen).toEqual([2]);
  queue.add('a', async () => {
    seen.push(3);
    queue.add('a', async () => void seen.push(4));
  });
  await queue.settle();
  expect(seen).toEqual([2, 3, 4]);
});

it('reports a failed task and continues', async () => {
  const failures: unknown[] = [];
  const queue = createTaskQueue((error) => failures.push(error));
  const seen: string[] = [];
  queue.add('a', async () => {
    throw new Error('no');
  });
  queue.add('b', async () => void seen.push('b'));
  await queue.settle();
  expect([failures.length, seen]).toEqual([1, ['b']]);
});
