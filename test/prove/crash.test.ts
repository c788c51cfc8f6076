import { expect, it } from 'vitest';
import { runCrashRounds } from '../integration/crash-rounds.ts';
import { runRotationRounds } from '../integration/rotation-rounds.ts';

it('everything acknowledged is there after a kill -9 during writes, 200 times', async () => {
  const report = await runCrashRounds(200, 1);
  console.info(`figure: kill -9 during writes: ${JSON.stringify(report)}`);
  expect(report.acknowledged).toBeGreaterThan(2_000);
  expect(report.killedWhileStarting).toBeGreaterThan(10);
});

it('a kill -9 in the middle of a snapshot loses nothing, 200 times', async () => {
  const report = await runRotationRounds(200, 2);
  console.info(`figure: kill -9 during rotation: ${JSON.stringify(report)}`);
  expect(report.killedRotating).toBeGreaterThan(50);
});
