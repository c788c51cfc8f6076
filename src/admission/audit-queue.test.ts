import { expect, it } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { createAuditQueue } from './audit-queue.ts';

it('runs work in order, after the current task, and continues after a failure', async () => {
  const queue = createAuditQueue(silentLogger);
  const done: number[] = [];
  for (const n of [1, 2, 3])
    queue.add(1, async () => {
      if (n === 2) throw new Error('broken');
      done.push(n);
    });
  expect(done).toEqual([]);
  await queue.drained();
  expect(done).toEqual([1, 3]);
  expect(queue.waiting).toBe(0);
});

it('drops and counts work beyond its limits of number and size', async () => {
  const queue = createAuditQueue(silentLogger, { maxWaiting: 2, maxBytes: 10 });
  expect([queue.add(4, () => {}), queue.add(7, () => {}), queue.add(4, () => {}), queue.add(1, () => {})]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(queue.dropped).toBe(2);
  await queue.drained();
  expect(queue.add(10, () => {})).toBe(true);
  await queue.drained();
});
