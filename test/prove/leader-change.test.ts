import { afterAll, beforeAll, expect, it } from 'vitest';
import { killLeader, pauseLeader, Replicas, takeoverBoundMs } from '../integration/leader-rounds.ts';
import { quantile } from '../integration/random.ts';
import { runTasks } from '../integration/task-rounds.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
});
afterAll(() => cluster.stop());

it('another leads within the lease time after each of 20 kills and 5 pauses, and never two at once', async () => {
  const replicas = await Replicas.create(cluster);
  try {
    await Promise.all([replicas.start(), replicas.start(), replicas.start()]);
    const killedMs: number[] = [];
    for (let kill = 0; kill < 20; kill++) {
      killedMs.push(await killLeader(replicas));
      await replicas.start();
    }
    const pausedMs: number[] = [];
    for (let pause = 0; pause < 5; pause++) pausedMs.push(await pauseLeader(replicas));
    const tookMs = [...killedMs, ...pausedMs];
    const figures = { medianMs: quantile(tookMs, 0.5), slowestMs: quantile(tookMs, 1), boundMs: takeoverBoundMs };
    console.info(`figure: leader changes: ${JSON.stringify({ ...figures, overlapMs: replicas.overlapMs() })}`);
    expect(figures.medianMs).toBeLessThan(takeoverBoundMs);
    expect(replicas.overlapMs()).toBe(0);
  } finally {
    await replicas.close();
  }
});

it('no two reconciles of one key overlap in effect over 20 leaders', async () => {
  const report = await runTasks(cluster, { kills: 20, seed: 6 });
  console.info(`figure: reconciles under leader changes: ${JSON.stringify(report)}`);
  expect(report.leaders).toBeGreaterThanOrEqual(20);
});
