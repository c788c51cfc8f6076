import { expect, it } from 'vitest';
import { runRotationRounds } from './rotation-rounds.ts';

it('a kill -9 in the middle of a snapshot loses nothing', { timeout: 60_000 }, async () => {
  const report = await runRotationRounds(10, 4711);
  console.info(`kill -9 during rotation: ${JSON.stringify(report)}`);
  expect(report.killedRotating).toBeGreaterThan(0);
});
