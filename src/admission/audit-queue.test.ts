import { expect, it } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { createAuditQueue } from './audit-queue.ts';

it('does what waits in its order, after what is going on, and goes on after a failure', async () => {
  const later = createAuditQueue(silentLogger);
  const done: number[] = [];
  for (const n of [1, 2, 3])
    later.add(1, async () => {
      if (n === 2) throw new Error('broken');
      done.push(n);
    });
  expect(done).toEqual([]);
  await later.drained();
  expect(done).toEqual([1, 3]);
  expect(later.waiting).toBe(0);
});

it('drops what is too much, by number and by size, and counts it', async () => {
  const later = createAuditQueue(silentLogger, { maxWaiting: 2, maxBytes: 10 });
  expect([later.add(4, () => {}), later.add(7, () => {}), later.add(4, () => {}), later.add(1, () => {})]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(later.dropped).toBe(2);
  await later.drained();
  expect(later.add(10, () => {})).toBe(true);
  await later.drained();
});
