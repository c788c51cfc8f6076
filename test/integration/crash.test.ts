import { expect, it } from 'vitest';
import { runCrashRounds } from './crash-rounds.ts';

it('everything acknowledged is there after a kill -9 during writes, ten times', { timeout: 120_000 }, async () => {
  const report = await runCrashRounds(10, 20_261);
  console.info(`kill -9 during writes: ${JSON.stringify(report)}`);
  expect(report.acknowledged).toBeGreaterThan(100);
});
