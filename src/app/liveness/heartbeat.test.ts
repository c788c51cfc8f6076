import { expect, it } from 'vitest';
import { createHeartbeat, sinceBeatMs } from './heartbeat.ts';

it('returns the time since the last beat', () => {
  let nowNs = 5_000_000_000n;
  const heartbeat = createHeartbeat(() => nowNs);
  nowNs += 12_000_000_000n;
  expect(sinceBeatMs(heartbeat.memory, () => nowNs)).toBe(12_000);
  heartbeat.beat();
  expect(sinceBeatMs(heartbeat.memory, () => nowNs)).toBe(0);
});
