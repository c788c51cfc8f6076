import { afterAll, beforeAll, expect, it } from 'vitest';
import { runLiveness } from '../integration/liveness-rounds.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
});
afterAll(() => cluster.stop());

it.each([1, 22, 333, 4_444])(
  'informers know what the server knows after half a minute of faults (seed %i)',
  async (seed) => {
    const report = await runLiveness(cluster, { seed, durationMs: 30_000, objects: 400 });
    console.info(`figure: watch liveness: ${JSON.stringify(report)}`);
    expect(Object.keys(report.faults).sort()).toEqual(['cut', 'delay', 'half-close', 'refuse', 'silent']);
  },
);
