import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import { InsightsError, type InsightsErrorCode } from '../insights/index.ts';
import { reportUntilAccepted } from './reporter.ts';

const setUp = (failures: readonly (InsightsErrorCode | 'ok')[], giveUpAfterMs?: number) => {
  const clock = createFakeClock();
  const tries: number[] = [];
  const report = async () => {
    const code = failures[tries.length] ?? 'ok';
    tries.push(clock.now());
    if (code !== 'ok')
      throw new InsightsError(code, code, { retry: code === 'insights-throttled' ? { afterMs: 90_000 } : 'backoff' });
  };
  const options = { report, clock, random: () => 0, log: silentLogger, giveUpAfterMs };
  return { clock, tries, options };
};
const message = { id: '1', status: 'completed' } as const;
const never = new AbortController().signal;

test('an outcome is reported until accepted, with backoff, and not before Retry-After', async () => {
  const down = 'insights-unreachable';
  const { clock, tries, options } = setUp([down, down, down, 'insights-throttled', 'insights-unauthorized']);
  const recorder = reportUntilAccepted(options, message, never);
  await clock.advance(10 * 60_000);
  expect(await recorder).toBe(true);
  expect(tries).toEqual([0, 1_000, 3_000, 7_000, 97_000, 113_000]);
});

test.each<InsightsErrorCode>(['insights-not-found', 'insights-refused'])(
  'an outcome that Insights will never accept (%s) is reported once',
  async (code) => {
    const { tries, options } = setUp([code]);
    expect(await reportUntilAccepted(options, message, never)).toBe(true);
    expect(tries).toHaveLength(1);
  },
);

test('a program that runs once gives up for now', async () => {
  const { clock, options, tries } = setUp(
    Array.from({ length: 50 }, () => 'insights-timeout' as const),
    10_000,
  );
  const recorder = reportUntilAccepted(options, message, never);
  await clock.advance(60_000);
  expect(await recorder).toBe(false);
  expect(tries.at(-1)).toBeLessThanOrEqual(10_000);
});
