import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../support/real-cluster.ts';
import { killLeader, pauseLeader, Replicas, takeoverBoundMs } from './leader-rounds.ts';
import { runTasks } from './task-rounds.ts';

/** What is expected of leader changes, whichever server holds the Lease. */
export function defineLeaderChanges(cluster: () => Cluster): void {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await Replicas.create(cluster());
    await Promise.all([replicas.start(), replicas.start(), replicas.start()]);
  }, 60_000);
  afterAll(() => replicas?.close());

  // On a machine that does much else, a process needs a moment to say what it already is.
  const slackMs = 2_000;

  it('of three replicas one leads, and after kill -9 another within the lease time, twice', {
    timeout: 60_000,
  }, async () => {
    const tookMs = [await killLeader(replicas), await killLeader(replicas)];
    console.info(`leader killed: another led after ${tookMs.join(' and ')} ms (bound ${takeoverBoundMs} ms)`);
    for (const each of tookMs) expect(each).toBeLessThan(takeoverBoundMs + slackMs);
    expect(replicas.overlapMs()).toBe(0);
  });

  it('a leader that stood still knows when it goes on that it leads no more', { timeout: 60_000 }, async () => {
    await replicas.start();
    const tookMs = await pauseLeader(replicas);
    console.info(`leader stopped: another led after ${tookMs} ms (bound ${takeoverBoundMs} ms)`);
    expect(tookMs).toBeLessThan(takeoverBoundMs + slackMs);
    expect(replicas.overlapMs()).toBe(0);
  });

  it('a replica that is asked to stop gives the lease back, and the next one leads at once', {
    timeout: 60_000,
  }, async () => {
    const leader = await replicas.leader();
    const askedMs = performance.now();
    expect(await leader.program.end('SIGTERM')).toBe(0);
    await replicas.leader();
    const tookMs = Math.round(performance.now() - askedMs);
    console.info(`leader asked to stop: another led after ${tookMs} ms`);
    expect(replicas.overlapMs()).toBe(0);
  });

  it('no two reconciles of one key overlap in effect while leaders are killed', { timeout: 90_000 }, async () => {
    const report = await runTasks(cluster(), { kills: 2, seed: 5 });
    console.info(`reconciles under leader changes: ${JSON.stringify(report)}`);
    expect(report.leaders).toBeGreaterThanOrEqual(3);
    expect(report.effects).toBeGreaterThan(40);
  });
}
