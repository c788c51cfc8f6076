import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { runLiveness } from './liveness-rounds.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
});
afterAll(() => cluster.stop());

it('an informer behind a connection that is lost, cut and delayed ends up knowing what the server knows', async () => {
  const report = await runLiveness(cluster, { seed: 77, durationMs: 5_000 });
  console.info(`watch liveness: ${JSON.stringify(report)}`);
  expect(report.writes).toBeGreaterThanOrEqual(100);
  expect(Object.keys(report.faults).sort()).toEqual(['cut', 'delay', 'half-close', 'refuse', 'silent']);
}, 60_000);
