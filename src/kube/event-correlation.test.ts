import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { EventCorrelator } from './event-correlation.ts';

test('counts dropped events on the next written one', async () => {
  const clock = createFakeClock();
  const correlator = new EventCorrelator(clock);
  const subject = { apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', name: 'p' };
  const emit = (count: number) =>
    correlator.correlate(subject, { type: 'Normal', reason: 'PolicyApplied', message: `Job ${count}` });
  const written = Array.from({ length: 100 }, (_, index) => emit(index)).filter((series) => series !== undefined);
  expect(written).toHaveLength(25);
  await clock.advance(300_000);
  // Nine have rows of their own; all others are on the combined one.
  expect(emit(100)).toMatchObject({ count: 92, content: { message: expect.stringMatching(/^\(combined/) } });
});
